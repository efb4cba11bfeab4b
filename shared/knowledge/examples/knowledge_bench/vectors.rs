//! Writes vectors of chunks directly into the store, and serves the vectors of questions.

use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use sqlx::PgPool;
use tarsy_knowledge::EndpointConfig;

use crate::data::{Random, question_vector};

const ADDRESS: &str = "127.0.0.1:18778";
/// Number of vectors per statement.
const BATCH: usize = 2_000;

pub(crate) fn endpoint(dimension: usize) -> EndpointConfig {
    EndpointConfig {
        url: format!("http://{ADDRESS}/v1/embeddings"),
        model: format!("clusters-{dimension}"),
        key: None,
    }
}

/// Serves vectors of questions.
pub(crate) async fn serve(dimension: usize) {
    rustls::crypto::ring::default_provider()
        .install_default()
        .ok();
    let answer = move |Json(body): Json<Value>| async move {
        let one = |(index, text): (usize, &Value)| {
            let vector = question_vector(text.as_str().unwrap(), dimension);
            json!({"index": index, "embedding": vector})
        };
        let texts = body["input"].as_array().unwrap().iter().enumerate();
        Json(json!({"data": texts.map(one).collect::<Vec<_>>()}))
    };
    let router = Router::new().route("/v1/embeddings", post(answer));
    let listener = tokio::net::TcpListener::bind(ADDRESS).await.unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
}

/// Adds the vectors of all chunks.
pub(crate) async fn add(pool: &PgPool, dimension: usize) {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let ids: Vec<i32> =
        sqlx::query_scalar("select chunk_id from knowledge.chunks order by chunk_id")
            .fetch_all(pool)
            .await
            .unwrap();
    for batch in ids.chunks(BATCH) {
        let vectors: Vec<Vec<u8>> = batch
            .iter()
            .map(|_| {
                let vector = random.any_vector(dimension);
                vector.iter().flat_map(|x| x.to_le_bytes()).collect()
            })
            .collect();
        sqlx::query(
            "insert into knowledge.embeddings (model, chunk_id, dimension, vector)
             select $1, v.chunk_id, $2, v.vector from unnest($3::int[], $4::bytea[]) v (chunk_id, vector)",
        )
        .bind(endpoint(dimension).model)
        .bind(i32::try_from(dimension).unwrap())
        .bind(batch)
        .bind(vectors)
        .execute(pool)
        .await
        .unwrap();
    }
    sqlx::query("analyze knowledge.embeddings")
        .execute(pool)
        .await
        .unwrap();
}
