"""The version of Partita, of the package and of its tool alike: CMakeLists.txt and pyproject.toml read it here."""

VERSION = "0.2.0"
