def evaluate(): pass
