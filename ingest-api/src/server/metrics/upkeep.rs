//! Metrics of what slows Postgres down over time, and of pending notifications, read from the database.

use prometheus::{GaugeVec, Opts, Registry};
use sqlx::PgConnection;
use tarsy_store::gauges::{PendingDeliveries, TableRows};

/// Gauges of [`UpkeepFigures`]. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Upkeep {
    rows: GaugeVec,
    snapshot: GaugeVec,
    deliveries: GaugeVec,
}

/// Figures that one read returns.
pub(super) struct UpkeepFigures {
    snapshot_age: i64,
    tables: Vec<TableRows>,
    deliveries: Vec<PendingDeliveries>,
}

impl Upkeep {
    pub(super) fn new(registry: &Registry) -> prometheus::Result<Self> {
        let gauge = |name: &str, help: &str, labels: &[&str]| {
            let gauge = GaugeVec::new(Opts::new(name, help), labels)?;
            registry.register(Box::new(gauge.clone()))?;
            prometheus::Result::Ok(gauge)
        };
        Ok(Self {
            rows: gauge(
                "tarsy_database_table_rows",
                "Rows of the tables that every alert writes to, by state: live, dead (not vacuumed yet).",
                &["table", "state"],
            )?,
            snapshot: gauge(
                "tarsy_database_oldest_snapshot_age_transactions",
                "Transactions since the oldest snapshot that somebody holds (backend_xmin); what died since can't be vacuumed.",
                &[],
            )?,
            deliveries: gauge(
                "tarsy_deliveries_pending",
                "Notifications that have neither arrived nor failed for good, by target.",
                &["target"],
            )?,
        })
    }

    pub(super) fn forget(&self) {
        [&self.rows, &self.snapshot, &self.deliveries]
            .into_iter()
            .for_each(GaugeVec::reset);
    }

    pub(super) fn note(&self, figures: &UpkeepFigures) {
        for table in &figures.tables {
            for (state, rows) in [("live", table.live), ("dead", table.dead)] {
                let labels = [table.table.as_str(), state];
                self.rows.with_label_values(&labels).set(rows as f64);
            }
        }
        let snapshot = self.snapshot.with_label_values::<&str>(&[]);
        snapshot.set(figures.snapshot_age as f64);
        for pending in &figures.deliveries {
            let labels = [pending.target.as_str()];
            self.deliveries
                .with_label_values(&labels)
                .set(pending.deliveries as f64);
        }
    }
}

/// Reads the figures from statistics and an index, so the cost does not depend on the size of the tables.
pub(super) async fn read(conn: &mut PgConnection) -> Result<UpkeepFigures, tarsy_store::Error> {
    Ok(UpkeepFigures {
        snapshot_age: tarsy_store::gauges::oldest_snapshot_age(conn).await?,
        tables: tarsy_store::gauges::hot_table_rows(conn).await?,
        deliveries: tarsy_store::gauges::pending_deliveries(conn).await?,
    })
}
