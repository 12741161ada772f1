"""The server: what answers over HTTP, what runs by itself meanwhile, and how both begin and end."""
