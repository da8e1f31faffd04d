//! Traces that the command `lookback` records, asked by `lookback-sql` as people do.

mod answers;
mod cause;
mod damage;
mod duckdb;
mod interruption;
mod names;
mod parquet;
mod refusals;
mod shell;
mod support;
