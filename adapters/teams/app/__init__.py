"""The app as Teams installs it: manifest, texts in two languages, icons, and the package of them."""
