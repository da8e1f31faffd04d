//! Where the sites of an object are: what compilers note in its sections. Pure: from bytes to addresses.

pub mod addresses;
pub mod sections;
pub mod xray_map;
