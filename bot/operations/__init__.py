"""What commands have done on a data directory: by this process, or by the server that owns the directory."""
