"""The app for Teams: manifest, texts in two languages, icons, and the package that contains them."""
