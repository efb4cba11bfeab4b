//! Generated rows, questions and vectors.

use std::io::Write as _;
use std::path::Path;

const WORDS: usize = 100;
const VOCABULARY: f64 = 50_000.0;
const CLUSTERS: u64 = 1_000;

/// Mapping of the rows.
pub(crate) const MAPPING: &str = "key: id\nfields: [{name: id, identifier: true}, {name: zone, filter: true}, \
     {name: rack, filter: true}, {name: shelf, filter: true}, {name: text}]";

/// Filters. For each one, 1 in this many rows passes.
pub(crate) const FILTERS: [(&str, &str, u64); 3] = [
    ("zone", "Z2", 5),
    ("rack", "R7", 50),
    ("shelf", "S7", 1_000),
];

/// Pseudo-random numbers with a fixed seed (xorshift).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a vector of length 1 near the centre of a cluster.
    fn vector(&mut self, cluster: u64, dimension: usize) -> Vec<f32> {
        let mut centre = Self(cluster.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut vector: Vec<f64> = (0..dimension)
            .map(|_| centre.unit() - 0.5 + (self.unit() - 0.5) * 0.7)
            .collect();
        let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        vector.iter_mut().for_each(|x| *x /= length);
        vector.into_iter().map(|x| x as f32).collect()
    }

    /// Returns a vector of any cluster.
    pub(crate) fn any_vector(&mut self, dimension: usize) -> Vec<f32> {
        let cluster = (self.unit() * CLUSTERS as f64) as u64;
        self.vector(cluster, dimension)
    }

    /// Returns a word. Its rank is log-uniform, which is Zipf's law.
    fn word(&mut self) -> String {
        let rank = VOCABULARY.powf(self.unit()) as u64;
        // Use only letters that no stemmer removes.
        let mut word = String::from("w");
        let mut rest = rank;
        while rest > 0 {
            word.push(char::from(b"bcdfghjkmnpqrtvz"[(rest % 16) as usize]));
            rest /= 16;
        }
        word
    }
}

/// Returns the vector of a question.
pub(crate) fn question_vector(text: &str, dimension: usize) -> Vec<f32> {
    let sum = text.bytes().fold(7_u64, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(byte.into())
    });
    Random(sum | 1).vector(sum % CLUSTERS, dimension)
}

/// Writes a file of rows. Returns its size.
pub(crate) fn write_rows(path: &Path, rows: u64) -> u64 {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
    writeln!(file, "id,zone,rack,shelf,text").unwrap();
    for row in 0..rows {
        let text: Vec<String> = (0..WORDS).map(|_| random.word()).collect();
        let [zone, rack, shelf] = FILTERS.map(|(_, _, each)| row % each);
        let (first, second) = text.split_at(WORDS / 2);
        let (first, second) = (first.join(" "), second.join(" "));
        writeln!(
            file,
            "ID-{row:08},Z{zone},R{rack},S{shelf},\"{first}\n{second}\""
        )
        .unwrap();
    }
    file.flush().unwrap();
    std::fs::metadata(path).unwrap().len()
}

/// Returns questions of 3 to 8 words.
pub(crate) fn questions(count: usize) -> Vec<String> {
    let mut random = Random(0x0123_4567_89ab_cdef);
    let question = |number: usize| {
        let words = (0..3 + number % 6).map(|_| random.word());
        words.collect::<Vec<_>>().join(" ")
    };
    (0..count).map(question).collect()
}
