//! Reads a series in the forms of several sources of metrics.

use serde_json::{Map, Value};

use crate::points::Points;

/// A series with its labels.
#[derive(Debug)]
pub(crate) struct Series {
    pub(crate) labels: Map<String, Value>,
    pub(crate) points: Points,
    /// Member of the item that contains the points, or only their values.
    pub(crate) member: &'static str,
}

/// Reads a series; `None` if it has none of these forms:
///
/// - Prometheus: `{"metric": {..}, "values": [[time, value], ..]}`
/// - CloudWatch: `{"Label": .., "Timestamps": [..], "Values": [..]}`, also with `timestamps` and `values`
///   (<https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDataResult.html>)
/// - Datadog: `{"metric": .., "pointlist": [[time, value], ..]}`
///   (<https://docs.datadoghq.com/api/latest/metrics/#query-timeseries-points>)
pub(crate) fn read(item: &Value) -> Option<Series> {
    let list = |member: &str| item.get(member)?.as_array();
    let pairs = |member, labels| Some((member, labels, Points::read(list(member)?)?));
    let of_prometheus = || pairs("values", item.get("metric")?.as_object()?.clone());
    let apart = |times: &str, member| {
        let (times, values) = (list(times)?, list(member)?);
        let points = Points::from_pairs(times.iter().zip(values))?;
        (times.len() == values.len()).then(|| (member, plain_labels(item), points))
    };
    let (member, labels, points) = of_prometheus()
        .or_else(|| apart("timestamps", "values"))
        .or_else(|| apart("Timestamps", "Values"))
        .or_else(|| pairs("pointlist", plain_labels(item)))?;
    Some(Series {
        labels,
        points,
        member,
    })
}

/// Returns the members of an item that are texts or numbers, and its dimensions. They distinguish it from other series.
fn plain_labels(item: &Value) -> Map<String, Value> {
    let mut labels = item.as_object().cloned().unwrap_or_default();
    labels.retain(|_, value| value.is_string() || value.is_number());
    let dimensions = ["dimensions", "Dimensions"].map(|name| item[name].as_array());
    for dimension in dimensions.into_iter().flatten().flatten() {
        if let (Value::String(name), Some(value)) = (&dimension["Name"], dimension.get("Value")) {
            labels.insert(name.clone(), value.clone());
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_and_values_may_stand_apart_and_the_newest_first() {
        let read = read(&json!({
            "Id": "m1", "Label": "ReplicaLag", "StatusCode": "Complete", "Messages": [],
            "Dimensions": [{"Name": "DBInstanceIdentifier", "Value": "payments"}],
            "Timestamps": ["2026-03-26T11:21:00+00:00", "2026-03-26T11:20:00Z"], "Values": [74.0, 1.25],
        }))
        .expect("a series");
        let points: Vec<(f64, f64)> = read.points.iter().collect();
        assert_eq!(points, [(1_774_524_000.0, 1.25), (1_774_524_060.0, 74.0)]);
        let labels = json!({
            "Id": "m1", "Label": "ReplicaLag", "StatusCode": "Complete", "DBInstanceIdentifier": "payments",
        });
        assert_eq!(
            (Value::Object(read.labels), read.member),
            (labels, "Values")
        );
    }

    #[test]
    fn a_list_of_points_has_its_labels_beside_it() {
        let read = read(&json!({
            "metric": "system.cpu.idle", "scope": "host:a", "interval": 30, "pointlist": [[1_575_317_847_000_i64, 0.5]],
        }))
        .expect("a series");
        let labels = json!({"metric": "system.cpu.idle", "scope": "host:a", "interval": 30});
        assert_eq!(
            (Value::Object(read.labels), read.member),
            (labels, "pointlist")
        );
        assert_eq!(read.points.first_time(), 1_575_317_847.0);
    }

    #[test]
    fn other_members_are_no_series() {
        for other in [
            json!({"timestamps": [1, 2], "values": [1]}),
            json!({"timestamps": ["yesterday"], "values": [1]}),
            json!({"timestamps": [1], "values": ["a"]}),
            json!({"timestamps": [], "values": []}),
            json!({"values": [[1, 2]]}),
            json!({"pointlist": [1, 2]}),
            json!([]),
        ] {
            assert!(read(&other).is_none(), "{other}");
        }
    }
}
