"""Tools on top of the library and the plugin: commands, inspector, report, archives."""
