//! The sites of an object, as they are in this process.

use super::lasting_table::LastingTable;
use super::site_entry::REACH;
use super::traced_site::TracedSite;
use super::unnamed;
use super::wanted::Wanted;
use core::ops::Range;
use function_filter::FunctionName;
use function_sites::{
    FunctionSymbol, ObjectFile, SiteLocator, SitePlace, SourcePath, exchange, heap_sort, partition_point_near,
};

/// The sites of an object, in the order of their addresses.
#[derive(Debug)]
pub(super) struct SiteTable {
    sites: LastingTable<TracedSite>,
    /// Where each is. Searched in place of the sites: those are so large that each step would wait for
    /// memory.
    addresses: LastingTable<u64>,
}

impl SiteTable {
    /// Not looked up yet.
    pub(super) const fn new() -> SiteTable {
        SiteTable { sites: LastingTable::new(), addresses: LastingTable::new() }
    }

    /// Fills it, unless that was done, for one who has the turn, with those of a file whose addresses are
    /// moved by `base`: those that its compiler has left. If it has left none, those of its functions, which
    /// `symbols` names or code leads to. None where there is no memory.
    pub(super) fn fill(
        &self,
        file: &ObjectFile<'static>,
        symbols: Option<&ObjectFile<'static>>,
        base: u64,
    ) -> Option<()> {
        if !self.sites.is_filled() {
            self.fill_sites(file, symbols, base)?;
        }
        if !self.addresses.is_filled() {
            let sites = self.sites.all();
            self.addresses.fill(sites.len(), sites.iter().map(|site| site.address), |all| all.len())?;
        }
        Some(())
    }

    fn fill_sites(
        &self,
        file: &ObjectFile<'static>,
        symbols: Option<&ObjectFile<'static>>,
        base: u64,
    ) -> Option<()> {
        let file = &symbols.map_or(*file, |symbols| unnamed::look(file, symbols));
        let found = || {
            let built = file.sites().filter(|_| symbols.is_none());
            symbols.into_iter().flat_map(|symbols| file.unbuilt_sites(symbols)).chain(built)
        };
        // Code from an address on: most sites are in the section of the one before.
        let mut code: (u64, &[u8]) = (0, &[]);
        let locator = SiteLocator::new(*file);
        let sites = found().filter_map(|site| {
            let location = locator.locate(&site).ok()?;
            // What isn't left by a compiler is planned when it is wanted.
            if symbols.is_none() && after(code, location.address).is_empty() {
                code = (location.address, file.code_at(location.address));
            }
            Some(TracedSite::new(&site, &location, base, after(code, location.address)))
        });
        let arrange = |sites: &mut [TracedSite]| {
            heap_sort(sites, |site| site.address);
            different(sites)
        };
        self.sites.fill(found().count(), sites, arrange)
    }

    /// All of them; none as long as they were not looked up.
    pub(super) fn all(&self) -> &'static [TracedSite] {
        if self.addresses.is_filled() { self.sites.all() } else { &[] }
    }

    /// How many of them are before an address.
    fn before(&self, address: u64) -> usize {
        self.addresses.all().partition_point(|site| *site < address)
    }

    /// The site at an address, or the last before it.
    pub(super) fn find(&self, address: u64) -> Option<&'static TracedSite> {
        self.all().get(self.before(address.saturating_add(1)).checked_sub(1)?)
    }

    /// The site that is called at the start of a function, which is at `start` and does nothing before
    /// `first`.
    pub(super) fn of_start(&self, start: u64, first: u64) -> Option<&'static TracedSite> {
        let is_at = |site: &&TracedSite| [start, first].contains(&site.address);
        self.find(first).filter(is_at).filter(|site| site.place() == SitePlace::FirstInstruction)
    }

    /// Whether bytes at these addresses are part of a site, or of its jump.
    pub(super) fn overlap(&self, addresses: &Range<u64>) -> bool {
        let start = addresses.start.saturating_sub(REACH);
        let near = self.before(start)..self.before(addresses.end.saturating_add(REACH));
        self.all().get(near).unwrap_or_default().iter().any(|site| site.touches(addresses))
    }

    /// Asks for each site who wants it, by the names of the functions that have it.
    pub(super) fn choose(
        &self,
        file: &ObjectFile<'static>,
        base: u64,
        wanted_by: &dyn Fn(FunctionName<'_>) -> Wanted,
    ) {
        for site in self.all() {
            site.forget_name();
            if let Some(path) = SourcePath::of_site(site.name) {
                site.want(&wanted_by(FunctionName::from(path.as_bytes())));
            }
        }
        // Files name most functions in the order in which they lie, or in the opposite one.
        let mut first = 0;
        for function in file.functions() {
            let start = base.wrapping_add(function.start);
            first = partition_point_near(self.addresses.all(), first, |site| *site < start);
            let mut sites =
                self.of_function(&function, base, first).filter(|site| site.name.is_empty()).peekable();
            if sites.peek().is_some() {
                let wanted = with_names(function.name, wanted_by);
                sites.for_each(|site| site.want(&wanted));
            }
        }
        let without_name = with_names(b"", wanted_by);
        for site in self.all().iter().filter(|site| !site.is_named()) {
            if site.is_unbuilt() {
                let start = site.address.wrapping_sub(base);
                site.want_without_name(&unnamed::with_address(start, wanted_by));
            } else {
                site.want_without_name(&without_name);
            }
        }
    }

    /// The sites that a function has, of which `first` would be the first one.
    fn of_function(
        &self,
        function: &FunctionSymbol<'_>,
        base: u64,
        first: usize,
    ) -> impl Iterator<Item = &'static TracedSite> {
        let function = FunctionSymbol { start: base.wrapping_add(function.start), ..*function };
        let sites = self.all().get(first..).unwrap_or_default().iter();
        sites.take_while(move |site| function.contains(site.address))
    }
}

/// Asks by a function's symbol, and by the path that the source has for it.
pub(super) fn with_names<T>(symbol: &[u8], ask: &dyn Fn(FunctionName<'_>) -> T) -> T {
    let path = SourcePath::of(symbol);
    ask(FunctionName { symbol, path: path.as_ref().map(SourcePath::as_bytes) })
}

/// What code has from an address on. Nothing for one that is not in it.
fn after((start, code): (u64, &[u8]), address: u64) -> &[u8] {
    let offset = address.checked_sub(start).and_then(|offset| usize::try_from(offset).ok());
    offset.and_then(|offset| code.get(offset..)).unwrap_or_default()
}

/// Puts sites with different addresses first, of sorted ones: functions may have several names. How many they
/// are.
fn different(sites: &mut [TracedSite]) -> usize {
    let mut count = 0;
    for index in 0..sites.len() {
        let address = |index: usize| sites.get(index).map(|site| site.address);
        if count == 0 || address(count - 1) != address(index) {
            if count != index {
                exchange(sites, count, index);
            }
            count += 1;
        }
    }
    count
}
