"""What is run beside the package: benchmarks, the documentation site, installers, generators; see README.md."""
