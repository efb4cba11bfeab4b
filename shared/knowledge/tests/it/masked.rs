//! Checks that secrets of records reach neither chunks nor fields, so that SQL can't extract them.

use tarsy_knowledge::{load, store};

use crate::{Scene, content};

const MAPPING: &str = "
key: host
fields:
- {name: host, identifier: true}
- {name: db_password}
- {name: password, type: integer}
- {name: notes}
- {name: serial, mask: false}
";

const SECRET: &str = "hunter#2x";

fn file() -> String {
    let serial = "serial Zk4T9vQ2mLx8Rb3WnJ6sYc1D";
    [
        "host,db_password,password,notes,serial".to_owned(),
        format!("db-1,{SECRET},48151623,plain words,{serial}"),
        format!("db-2,,,DB_PASS={SECRET},{serial}"),
        format!("db-3,,,\"dsn postgres://admin:{SECRET}@db/shop and \"\"url\"\": \"\"https:\\/\\/a:{SECRET}@b\"\"\",{serial}"),
        format!("db-4,,,DB_PASS\\u003d{SECRET},{serial}"),
        format!("password={SECRET},,,key,{serial}"),
    ]
    .join("\n")
}

#[tokio::test]
async fn a_record_holds_no_secret() {
    let scene = Scene::new().await;
    let progress = scene.load(&scene.file("hosts.csv", file()), MAPPING).await;
    assert_eq!((progress.added, progress.rejected), (4, 1));
    let all = content(&mut *scene.connection().await).await;
    assert_eq!(all.len(), 4);
    for record in &all {
        assert!(
            !record.contains(SECRET) && !record.contains("hunter"),
            "{record}"
        );
        assert!(record.contains("Zk4T9vQ2mLx8Rb3WnJ6sYc1D"), "{record}");
    }
    // Like a question that selects half of the value at a time.
    let halves = "select count(*) from knowledge_views.tests
        where substr(split_part(notes, '=', 2), 1, 4) = 'hunt' or left(db_password, 4) = 'hunt'
           or notes ~ 'hunt' or split_part(notes, ':', 3) like 'hunt%'";
    assert_eq!(scene.rows(halves).await, 0);
    // A column keeps its type, so a masked number is removed.
    assert_eq!(
        scene
            .rows("select count(password) from knowledge_views.tests")
            .await,
        0
    );
    let rejected = std::fs::read_to_string(scene.folder.path().join("rejected.jsonl")).unwrap();
    assert!(rejected.contains("the key holds a secret") && !rejected.contains(SECRET));
}

/// A load by the previous version, whose records contain secrets.
#[tokio::test]
async fn a_file_that_was_loaded_before_values_were_masked_is_loaded_again() {
    let scene = Scene::new().await;
    let path = scene.file("hosts.csv", file());
    scene.load(&path, MAPPING).await;
    let mut connection = scene.connection().await;
    let earlier = "update knowledge.loads set mapping_hash = sha256('earlier');
        update knowledge.records set fields = fields || '{\"password\": \"hunter#2x\"}', content_hash = sha256('earlier')";
    sqlx::raw_sql(earlier)
        .execute(&mut *connection)
        .await
        .unwrap();
    let options = scene.options(MAPPING);
    let progress = load(&mut connection, &path, &options, |_| ())
        .await
        .unwrap();
    assert_eq!((progress.added, progress.replaced), (0, 4));
    let all = content(&mut connection).await;
    assert!(
        all.iter().all(|record| !record.contains("hunter")),
        "{all:?}"
    );
    assert_eq!(
        store::summaries(&mut connection, &[]).await.unwrap()[0].records,
        4
    );
}
