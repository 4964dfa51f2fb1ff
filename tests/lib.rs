//! The tests are in `it/`, the hostile guests in `guests/`, the benchmarks in `benches/`.
