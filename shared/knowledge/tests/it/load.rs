//! Tests of loading: every row is loaded once or rejected.

use tarsy_knowledge::{Error, load, store};
use tarsy_testing::json_lines;

use crate::{MAPPING, Scene, content};

const FILE: &str = "Test ID,Title,Model,Slot,Steps\n\
    TC-1,Power loss,K210,1,\"pull the cable\nwait\"\n\
    ,,,,\n\
    TC-2,Fan,K210,x,spin\n\
    TC-3,Disk,K300,3,swap\n\
    TC-1,Other,K210,1,differs\n\
    TC-3,Disk,K300,3,swap\n";

#[tokio::test]
async fn every_row_is_accounted_for() {
    let scene = Scene::new().await;
    let progress = scene.load(&scene.file("a.csv", FILE), MAPPING).await;
    assert_eq!(
        (
            progress.rows,
            progress.added,
            progress.unchanged,
            progress.rejected,
            progress.empty
        ),
        (6, 2, 1, 2, 1)
    );
    let rejected = std::fs::read_to_string(scene.folder.path().join("rejected.jsonl")).unwrap();
    let lines: Vec<serde_json::Value> = rejected
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        (&lines[0]["line"], &lines[1]["line"]),
        (&5.into(), &7.into())
    );
    assert_eq!(lines[0]["reason"], "`slot`: `x` is not an integer");
    assert_eq!(
        lines[1]["reason"],
        "key `TC-1` was on line 2 with other values"
    );
    assert_eq!(lines[0]["source"], "a.csv");
    let summary = store::summaries(&mut *scene.connection().await, &[])
        .await
        .unwrap();
    assert_eq!(
        (
            summary[0].records,
            summary[0].chunks,
            summary[0].loads[0].rejected
        ),
        (2, 2, 2)
    );
    // The values as SQL sees them.
    assert_eq!(
        scene
            .rows("select sum(slot)::bigint from knowledge_views.tests where model like 'K%'")
            .await,
        4
    );
}

#[tokio::test]
async fn the_same_file_is_loaded_once() {
    let scene = Scene::new().await;
    let file = scene.file("a.csv", FILE);
    scene.load(&file, MAPPING).await;
    let before = content(&mut *scene.connection().await).await;
    let again = scene.load(&scene.file("b.csv", FILE), MAPPING).await;
    assert!(again.is_complete && again.added == 2 && again.resumed_at == 6);
    assert_eq!(scene.rows("select count(*) from knowledge.loads").await, 1);
    // Loading it again on request changes nothing.
    let mut options = scene.options(MAPPING);
    options.again = true;
    let forced = load(&mut *scene.connection().await, &file, &options, |_| ())
        .await
        .unwrap();
    assert_eq!(
        (
            forced.added,
            forced.replaced,
            forced.unchanged,
            forced.rejected
        ),
        (0, 0, 3, 2)
    );
    assert_eq!(content(&mut *scene.connection().await).await, before);
    assert_eq!(
        scene.rows("select count(*) from knowledge.segments").await,
        1
    );
}

#[tokio::test]
async fn a_changed_row_replaces_its_record_and_nothing_else() {
    let scene = Scene::new().await;
    scene.load(&scene.file("a.csv", FILE), MAPPING).await;
    let searcher = scene.searcher();
    assert_eq!(scene.found(&searcher, "swap").await, ["TC-3"]);
    let changed = FILE.replace(
        "TC-3,Disk,K300,3,swap",
        "TC-3,Disk,K300,3,replace the drive",
    );
    let progress = scene.load(&scene.file("b.csv", changed), MAPPING).await;
    assert_eq!(
        (progress.added, progress.replaced, progress.unchanged),
        (0, 1, 2)
    );
    // The searcher still has the previous index.
    assert!(scene.found(&searcher, "swap").await.is_empty());
    assert_eq!(scene.found(&searcher, "drive").await, ["TC-3"]);
    assert_eq!(
        scene
            .rows("select sum(live)::bigint from knowledge.segments")
            .await,
        2
    );
    assert_eq!(scene.rows("select count(*) from knowledge.chunks").await, 2);
}

#[tokio::test]
async fn many_batches_load_in_order() {
    let scene = Scene::new().await;
    let mut text = "Test ID,Title,Model,Slot,Steps\n".to_owned();
    for number in 0..45_000 {
        text.push_str(&format!(
            "TC-{number},Case {number},K{},{number},\"step one\nstep two\"\n",
            number % 7
        ));
    }
    let file = scene.file("many.csv", &text);
    let mut batches = Vec::new();
    let options = scene.options(MAPPING);
    let on_progress = |progress: &tarsy_knowledge::Progress| batches.push(progress.rows);
    let progress = load(&mut *scene.connection().await, &file, &options, on_progress)
        .await
        .unwrap();
    assert_eq!(batches, [20_000, 40_000, 45_000]);
    assert_eq!(progress.added, 45_000);
    assert_eq!(
        scene
            .rows("select count(distinct chunk_id) from knowledge.chunks")
            .await,
        45_000
    );
    assert_eq!(
        scene.found(&scene.searcher(), "TC-44999").await[0],
        "TC-44999"
    );
}

#[tokio::test]
async fn an_interrupted_load_continues_after_its_last_batch() {
    let scene = Scene::new().await;
    let mut text = "Test ID,Title,Model,Slot,Steps\n".to_owned();
    for number in 0..45_000 {
        let slot = if number % 1_000 == 0 { "bad" } else { "1" };
        text.push_str(&format!("TC-{number},Case,K1,{slot},one\n"));
    }
    let file = scene.file("many.csv", &text);
    let options = scene.options(MAPPING);
    // Dropped at its first batch, like a process that dies. The session ends, and what it had not committed is gone.
    let connection = scene.db.pool().acquire().await.unwrap();
    let mut connection = connection.detach();
    {
        let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
        let loading = load(&mut connection, &file, &options, |_| _ = sender.send(()));
        tokio::pin!(loading);
        tokio::select! {
            biased;
            _ = receiver.recv() => {}
            ended = &mut loading => panic!("ended too early: {ended:?}"),
        }
    }
    drop(connection);
    let committed = scene.rows("select rows_read from knowledge.loads").await;
    assert!((20_000..45_000).contains(&committed), "{committed}");
    // A crash may leave rows in the file of rejects that were not committed.
    let rejects = scene.folder.path().join("rejected.jsonl");
    let mut text = std::fs::read_to_string(&rejects).unwrap();
    text.push_str("{\"line\":0}\n{\"li");
    std::fs::write(&rejects, text).unwrap();

    let progress = scene.load(&file, MAPPING).await;
    assert_eq!(progress.resumed_at, u64::try_from(committed).unwrap());
    assert_eq!(
        (progress.rows, progress.added, progress.rejected),
        (45_000, 44_955, 45)
    );
    assert_eq!(
        scene.rows("select count(*) from knowledge.records").await,
        44_955
    );
    let rejected = json_lines(&rejects);
    let lines: Vec<u64> = rejected
        .iter()
        .map(|row| row["line"].as_u64().unwrap())
        .collect();
    assert_eq!(
        lines,
        (0..45).map(|number| number * 1_000 + 2).collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn what_can_not_be_loaded_is_reported_with_the_reason() {
    let scene = Scene::new().await;
    let mut connection = scene.connection().await;
    let file = scene.file("a.csv", "Test ID,Title\n1,2\n");
    let error = load(&mut connection, &file, &scene.options(MAPPING), |_| ())
        .await
        .unwrap_err();
    assert!(error.to_string().contains("no column `Model`"), "{error}");
    scene.load(&scene.file("b.csv", FILE), MAPPING).await;
    let other = MAPPING.replace("type: integer", "type: number");
    let error = load(&mut connection, &file, &scene.options(&other), |_| ())
        .await
        .unwrap_err();
    assert!(error.to_string().contains("another type"), "{error}");
    let mut options = scene.options(MAPPING);
    options.collection = "a; drop".to_owned();
    let error = load(&mut connection, &file, &options, |_| ())
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Invalid { .. }), "{error}");

    for name in ["c.parquet", "c.csv"] {
        let parquet = scene.file(name, b"PAR1\x15\x04\x15");
        let error = load(&mut connection, &parquet, &scene.options(MAPPING), |_| ())
            .await
            .unwrap_err();
        assert!(error.to_string().contains("Parquet is not read"), "{error}");
    }
    // A column may have this name.
    let text = scene.file("near.csv", b"PAR1,b\n1,2\n");
    let loaded = load(&mut connection, &text, &scene.options(MAPPING), |_| ()).await;
    let error = loaded.err().map(|error| error.to_string());
    assert!(!error.unwrap_or_default().contains("Parquet"));

    let empty = tarsy_testing::TestDb::new().await;
    let mut connection = empty.pool().acquire().await.unwrap();
    let error = load(&mut connection, &file, &scene.options(MAPPING), |_| ())
        .await
        .unwrap_err();
    assert!(matches!(error, Error::NotEnabled), "{error}");
}

#[tokio::test]
async fn a_collection_is_dropped_whole() {
    let scene = Scene::new().await;
    scene.load(&scene.file("a.csv", FILE), MAPPING).await;
    let mut connection = scene.connection().await;
    assert_eq!(
        store::drop_collection(&mut connection, "tests")
            .await
            .unwrap(),
        2
    );
    for table in [
        "select count(*) from knowledge.records",
        "select count(*) from knowledge.chunks",
        "select count(*) from knowledge.postings",
        "select count(*) from knowledge.segments",
        "select count(*) from knowledge.loads",
        "select count(*) from pg_views where schemaname = 'knowledge_views'",
    ] {
        assert_eq!(scene.rows(table).await, 0, "{table}");
    }
    assert_eq!(
        store::enable(&mut connection).await.unwrap(),
        store::SCHEMA_VERSION
    );
}
