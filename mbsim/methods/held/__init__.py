"""What the methods with a held null-space basis share: `svd`, `riemann` and the general form."""
