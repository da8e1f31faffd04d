//! Links and headings of a Markdown file.

/// A link.
#[derive(Debug, PartialEq, Eq)]
pub struct Link<'a> {
    /// The line, counted from 1.
    pub line: usize,
    /// Where it goes.
    pub target: &'a str,
}

/// The lines outside of code, with their numbers.
pub fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        (!is_code && !is_fence).then_some((index + 1, line))
    })
}

/// All links of the form `[text](target)`.
pub fn links(text: &str) -> Vec<Link<'_>> {
    let mut links = Vec::new();
    for (line, content) in prose(text) {
        for (place, _) in content.match_indices("](") {
            let rest = &content[place + 2..];
            let target = rest.split([')', ' ']).next().unwrap_or_default();
            links.push(Link { line, target });
        }
    }
    links
}

/// The names by which links reach the headings.
pub fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).filter(|(_, line)| line.starts_with('#'));
    headings.map(|(_, line)| anchor(line.trim_start_matches('#').trim())).collect()
}

fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// What `target`, in the file `from`, is a path to, from the root on.
pub fn resolve(from: &str, target: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_code_are_none() {
        let text = "a [b](c.md) [d](e \"f\")\n```\n[g](h)\n```\n";
        assert_eq!(links(text), [Link { line: 1, target: "c.md" }, Link { line: 1, target: "e" }]);
    }

    #[test]
    fn headings_are_reached_as_on_the_forges() {
        assert_eq!(anchors("# The `ring`, in short\n```\n# no\n```\n"), ["the-ring-in-short"]);
    }

    #[test]
    fn paths_start_at_the_file() {
        assert_eq!(resolve("docs/a/b.md", "../c.md"), "docs/c.md");
        assert_eq!(resolve("README.md", "./docs/"), "docs");
    }
}
