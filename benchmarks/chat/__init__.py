"""The parts of the bot's measurements that all chat platforms share."""
