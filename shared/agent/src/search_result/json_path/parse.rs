//! Parses path expressions.

use std::cmp::Ordering::{Equal, Greater, Less};

use serde_json::{Deserializer, Value};

use super::{Check, Stage};
use crate::pattern;

/// Longest expression, in bytes.
const LONGEST: usize = 1_000;
/// Most stages. They are bounded because a slice copies the items that it keeps.
const MOST_STAGES: usize = 32;

const KNOWN: &str = "of jq only this is known: paths (.a.b[0], .[], .[2:5], .\"a key\"), |, select(.a == \"x\"), \
select(.a | test(\"regex\")), keys and length; two conditions are two selects";

type Parsed<T> = Result<T, String>;
type Stages = Vec<(Stage, usize)>;

/// Parses the stages of an expression, each with its end.
pub(super) fn program(source: &str) -> Parsed<Stages> {
    if source.len() > LONGEST {
        return Err(format!("the path is longer than {LONGEST} characters"));
    }
    let mut reader = Reader { source, at: 0 };
    let mut stages = Vec::new();
    loop {
        reader.stage(&mut stages)?;
        if stages.len() > MOST_STAGES {
            return Err(format!("the path has more than {MOST_STAGES} steps"));
        }
        match reader.eats("|") {
            true => {}
            false if reader.rest().is_empty() => return Ok(stages),
            // A path may follow `select(..)` directly.
            false if reader.rest().starts_with(['.', '[']) => {}
            false => return Err(reader.unexpected()),
        }
    }
}

struct Reader<'a> {
    source: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn skip_blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Consumes `token` if it comes next, after blanks. Returns whether it did.
    fn eats(&mut self, token: &str) -> bool {
        self.skip_blanks();
        let comes = self.rest().starts_with(token);
        self.at += if comes { token.len() } else { 0 };
        comes
    }

    fn must(&mut self, token: &str) -> Parsed<()> {
        match self.eats(token) {
            true => Ok(()),
            false => Err(self.unexpected()),
        }
    }

    fn unexpected(&self) -> String {
        let rest: String = self.rest().chars().take(30).collect();
        match rest.is_empty() {
            true => format!("`{}` ends too early; {KNOWN}", self.source),
            false => format!("`{rest}` in `{}` is not understood; {KNOWN}", self.source),
        }
    }

    /// Consumes characters while `is_part` holds, and returns them.
    fn while_is(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|char| !is_part(char)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn stage(&mut self, stages: &mut Stages) -> Parsed<()> {
        self.skip_blanks();
        if self.rest().starts_with(['.', '[']) {
            return self.path(stages);
        }
        let stage = if self.eats("keys") {
            Stage::Keys
        } else if self.eats("length") {
            Stage::Length
        } else {
            self.must("select")?;
            self.select()?
        };
        stages.push((stage, self.at));
        Ok(())
    }

    /// Parses a path such as `.a."b"[0][]`.
    fn path(&mut self, stages: &mut Stages) -> Parsed<()> {
        // Letters, digits and other characters that occur in the keys of tool results.
        let is_part = |char: char| char.is_alphanumeric() || "_-@$".contains(char);
        loop {
            let is_key = self.rest().starts_with('.');
            self.at += usize::from(is_key);
            let stage = match self.rest().chars().next() {
                Some('[') => self.bracket()?,
                Some('?') => {
                    self.at += 1;
                    continue;
                }
                Some('"') if is_key => Stage::Key(self.text()?),
                Some(char) if is_key && is_part(char) => {
                    Stage::Key(self.while_is(is_part).to_owned())
                }
                _ => return Ok(()),
            };
            stages.push((stage, self.at));
        }
    }

    /// Parses `[]`, `[0]`, `[-1]`, `[2:5]` or `["key"]`.
    fn bracket(&mut self) -> Parsed<Stage> {
        self.must("[")?;
        if self.eats("]") {
            return Ok(Stage::Each);
        }
        if self.rest().starts_with('"') {
            let key = self.text()?;
            self.must("]")?;
            return Ok(Stage::Key(key));
        }
        let from = self.number();
        let stage = match (self.eats(":"), from) {
            (true, from) => Stage::Slice(from, self.number()),
            (false, Some(at)) => Stage::Index(at),
            (false, None) => return Err(self.unexpected()),
        };
        self.must("]")?;
        Ok(stage)
    }

    fn number(&mut self) -> Option<i64> {
        self.skip_blanks();
        let digits = self.while_is(|char| char.is_ascii_digit() || char == '-');
        digits.parse().ok()
    }

    fn text(&mut self) -> Parsed<String> {
        let mut texts = Deserializer::from_str(self.rest()).into_iter::<String>();
        let Some(Ok(text)) = texts.next() else {
            return Err(self.unexpected());
        };
        self.at += texts.byte_offset();
        Ok(text)
    }

    /// Parses a string, a number, `true`, `false` or `null` in JSON notation.
    fn literal(&mut self) -> Parsed<Value> {
        self.skip_blanks();
        if self.rest().starts_with('"') {
            return self.text().map(Value::String);
        }
        let word = self.while_is(|char| char.is_alphanumeric() || "+-.".contains(char));
        serde_json::from_str(word).map_err(|_| self.unexpected())
    }

    /// Parses the condition of a `select`: `(.a == 1)`, `(.a | length > 1)`, `(.a | test("regex"))`.
    fn select(&mut self) -> Parsed<Stage> {
        self.must("(")?;
        self.skip_blanks();
        let mut path = Vec::new();
        self.path(&mut path)?;
        let mut check = None;
        if self.eats("|") {
            match self.eats("test") {
                true => {
                    self.must("(")?;
                    self.skip_blanks();
                    check = Some(Check::Matches(pattern::compile(&self.text()?)?));
                    self.must(")")?;
                }
                false => {
                    self.must("length")?;
                    path.push((Stage::Length, self.at));
                }
            }
        }
        let check = match check {
            Some(check) => check,
            None => self.comparison()?,
        };
        self.must(")")?;
        Ok(Stage::Select(path, check))
    }

    fn comparison(&mut self) -> Parsed<Check> {
        for (operator, orders) in [
            ("==", &[Equal][..]),
            ("<=", &[Less, Equal]),
            (">=", &[Greater, Equal]),
            ("<", &[Less]),
            (">", &[Greater]),
        ] {
            if self.eats(operator) {
                return Ok(Check::Compares(self.literal()?, orders));
            }
        }
        match self.eats("!=") {
            true => Ok(Check::IsNot(self.literal()?)),
            false => Ok(Check::IsTrue),
        }
    }
}
