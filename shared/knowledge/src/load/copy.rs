//! Rows in the binary format of COPY.

use sqlx::PgConnection;

use crate::error::Result;

/// Signature `PGCOPY\n\xff\r\n\0`, no flags, no extension.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
const SEND_BYTES: usize = 1024 * 1024;

/// Buffer of rows, written value by value in column order.
pub(super) struct CopyRows {
    data: Vec<u8>,
}

impl CopyRows {
    pub(super) fn new() -> Self {
        let data = HEADER.to_vec();
        Self { data }
    }

    /// Starts a row of `columns` values.
    pub(super) fn row(&mut self, columns: i16) -> &mut Self {
        self.data.extend(columns.to_be_bytes());
        self
    }

    pub(super) fn int4(&mut self, value: i32) -> &mut Self {
        self.bytes(&value.to_be_bytes())
    }

    pub(super) fn int8(&mut self, value: i64) -> &mut Self {
        self.bytes(&value.to_be_bytes())
    }

    /// Appends a text or bytea.
    pub(super) fn bytes(&mut self, value: &[u8]) -> &mut Self {
        self.length(value.len());
        self.data.extend(value);
        self
    }

    pub(super) fn jsonb(&mut self, json: &str) -> &mut Self {
        self.length(json.len() + 1);
        // Version of the jsonb format.
        self.data.push(1);
        self.data.extend(json.as_bytes());
        self
    }

    fn length(&mut self, length: usize) {
        let length = i32::try_from(length).unwrap_or(i32::MAX);
        self.data.extend(length.to_be_bytes());
    }

    /// Sends the rows with `copy .. from stdin (format binary)`.
    pub(super) async fn send(
        mut self,
        connection: &mut PgConnection,
        statement: &'static str,
    ) -> Result<()> {
        self.data.extend((-1_i16).to_be_bytes());
        let mut copy = connection.copy_in_raw(statement).await?;
        for part in self.data.chunks(SEND_BYTES) {
            copy.send(part).await?;
        }
        copy.finish().await?;
        Ok(())
    }
}
