//! `trace_stat`: what is counted of functions, a file for each CPU.

mod function_line;
mod function_stat;

use crate::node::{Directory, Node};
use crate::trace_array::TraceArray;
use function_stat::FunctionStat;
use std::sync::Arc;

/// The directory, with a file for every CPU that the machine can have.
pub(crate) struct TraceStatDirectory;

impl Directory for TraceStatDirectory {
    fn names(&self, array: &TraceArray) -> Vec<String> {
        (0..array.instance().buffer().geometry().cpus).map(name).collect()
    }

    fn entry(&self, array: &TraceArray, entry: &str) -> Option<Node> {
        let cpu = (0..array.instance().buffer().geometry().cpus).find(|cpu| entry == name(*cpu))?;
        Some(Node::file(array, Arc::new(FunctionStat { cpu })))
    }
}

fn name(cpu: u32) -> String {
    format!("function{cpu}")
}
