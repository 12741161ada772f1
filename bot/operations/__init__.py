"""The operations behind commands. An operation runs in this process, or in the server that owns the data directory.

Each operation is one class: its fields are the arguments, its type parameter is the result, and class attributes say
whether it needs the models and which metric counts it. Client, route, metrics and serialisation are generic.
"""
