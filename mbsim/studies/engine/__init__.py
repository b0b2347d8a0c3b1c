"""How every study runs: a worker assembles a job and runs its tasks, a pool has several workers, and a journal notes the answers."""
