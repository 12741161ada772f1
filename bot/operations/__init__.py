"""What commands do on a data directory, in this process or in the server that owns the directory.

Each operation is declared once, as a class of its arguments with its result, whether it waits for the models, its
metric, and what it does. The client, the server's route, the metrics and the serialisation follow from that.
"""
