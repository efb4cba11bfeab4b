use super::{mrkdwn, plain_markdown};

#[test]
fn an_analysis_reads_as_slack_shows_it() {
    let markdown = "# Root cause\n\nThe **kubelet** ran out of _disk_ (`/var`), see [runbook](https://x.example/a?b=1&c=2).\n\n\
        1. free space\n2. restart\n\n- one\n  - two\n\n> quoted\n\n```sh\nkubectl get po -A | grep *x*\n```\n\nEnd.";
    insta::assert_snapshot!(mrkdwn(markdown), @r"
    *Root cause*

    The *kubelet* ran out of _disk_ (`/var`), see runbook (<https://x.example/a?b=1&amp;c=2>).

    1. free space
    2. restart

    • one
        • two

    > quoted

    ```
    kubectl get po -A | grep *x*
    ```

    End.
    ");
}

#[test]
fn an_analysis_stays_markdown_for_issues() {
    let markdown = "# Root cause\n\nThe **kubelet** ran out of _disk_ (`/var`), see [runbook](https://x.example/a?b=1&c=2).\n\n\
        1. free space\n\n```sh\nkubectl get po -A | grep '<none>'\n```\n\nEnd.";
    insta::assert_snapshot!(plain_markdown(markdown), @r"
    **Root cause**

    The **kubelet** ran out of _disk_ (` /var `), see runbook (<https://x.example/a?b=1&c=2>).

    1. free space

    ```
    kubectl get po -A | grep '<none>'
    ```

    End.
    ");
}

/// Texts that mention, load or link to something else than they show, in each Markdown notation for it.
const HOSTILE: [&str; 26] = [
    "<!channel> <@U1> <#C1> <!subteam^S1> &",
    "[x](!channel)",
    "[x](!here|y)",
    "[x](@U1) [y](#C1)",
    "[x](<!channel>)",
    "[x]( !everyone )",
    "[x][ref]\n\n[ref]: !channel",
    "[x](%21channel)",
    "[x](&#33;channel)",
    "[x](https://e.example/|<!here>)",
    "[x](https://e.example/>x<!here>)",
    "[https://bank.example](https://evil.example/a)",
    "[bank.example](https://evil.example/a)",
    "[`https://bank.example`](https://evil.example/a)",
    "[**https://bank**.example](https://evil.example/a \"https://bank.example\")",
    "[https://bank.example][r]\n\n[r]: https://evil.example/a",
    "![x](https://evil.example/a?data=1)",
    "![][r]\n\n[r]: https://evil.example/a?data=1",
    "[![x](https://evil.example/a?data=1)](https://evil.example/a)",
    "<img src=\"https://evil.example/a?data=1\">",
    "<a href='https://evil.example/a'>https://bank.example</a>",
    "a <IMG\nSRC=https://evil.example/a> b",
    "```\n``` <!channel> ![x](https://evil.example/a)\n",
    "`` ` `` `![x](https://evil.example/a)` \\![x](https://evil.example/a)",
    "[x](javascript:alert(1)) [y](data:text/html,x) [z](slack://channel?id=C1)",
    "x\n\n<!--\n![x](https://evil.example/a) -->",
];

#[test]
fn a_text_can_not_mention_a_channel_in_slack() {
    for text in HOSTILE {
        let rendered = mrkdwn(text);
        for control in rendered.split('<').skip(1) {
            let is_link = ["https://", "http://", "mailto:"]
                .iter()
                .any(|scheme| control.starts_with(scheme));
            let inside = control.split('>').next().unwrap();
            assert!(is_link && !inside.contains('|'), "{text}: {rendered}");
        }
    }
}

#[test]
fn a_link_shows_where_it_leads() {
    for text in HOSTILE
        .iter()
        .filter(|text| text.contains("bank") && text.starts_with('['))
    {
        for rendered in [mrkdwn(text), plain_markdown(text)] {
            assert!(
                rendered.contains("<https://evil.example/a>"),
                "{text}: {rendered}"
            );
        }
    }
    // A link that already shows its address does not repeat it.
    assert_eq!(mrkdwn("<https://e.example/a>"), "<https://e.example/a>");
    assert_eq!(
        mrkdwn("[https://e.example/a](https://e.example/a)"),
        "<https://e.example/a>"
    );
    assert_eq!(mrkdwn("[](https://e.example/a)"), "<https://e.example/a>");
}

/// The result, parsed like GitHub does, has no image, no HTML and no link with another text.
#[test]
fn markdown_loads_nothing_and_hides_no_address() {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    for text in HOSTILE {
        let rendered = plain_markdown(text);
        let mut address = None;
        for event in Parser::new_ext(&rendered, Options::all()) {
            match event {
                Event::Start(Tag::Image { .. }) | Event::Html(_) | Event::InlineHtml(_) => {
                    panic!("{text}: {rendered}")
                }
                Event::Start(Tag::Link { dest_url, .. }) => address = Some(dest_url.into_string()),
                Event::End(pulldown_cmark::TagEnd::Link) => address = None,
                Event::Text(shown) if address.is_some() => {
                    assert_eq!(address.as_deref(), Some(&*shown), "{text}: {rendered}");
                }
                _ => {}
            }
        }
    }
}
