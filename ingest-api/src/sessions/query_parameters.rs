//! Query parameters of session lists.

use axum::extract::Query;
use tarsy_model::{FieldKind, SessionField};
use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, Type};
use utoipa::openapi::{KnownFormat, Required, SchemaFormat};

/// Parameters in their order. A name may occur more than once.
pub(crate) type Pairs = Query<Vec<(String, String)>>;

/// Session filter parameters, generated from [`SessionField`]; without the search text.
pub(crate) struct SessionFilterParams;

impl IntoParams for SessionFilterParams {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let fields = SessionField::ALL.into_iter();
        let fields = fields.filter(|field| field.kind() != FieldKind::Search);
        fields.map(parameter).collect()
    }
}

fn parameter(field: SessionField) -> Parameter {
    ParameterBuilder::new()
        .name(field.name())
        .parameter_in(ParameterIn::Query)
        .description(Some(described(field)))
        .required(Required::False)
        .schema(Some(schema(field)))
        .build()
}

fn described(field: SessionField) -> String {
    let several = if field.takes_several() {
        "; repeat it for any of several"
    } else {
        ""
    };
    format!("{}{several}", field.help())
}

/// Pattern of a number with a comparison operator.
const COMPARISON: &str = r"^\s*(>=|<=|>|<)\s*[0-9]+(\.[0-9]+)?\s*$";

fn schema(field: SessionField) -> Schema {
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let pattern = |words: &[&str]| text().pattern(Some(format!("^({})$", words.join("|"))));
    let any_of = |item: ObjectBuilder| ArrayBuilder::new().items(item.build()).build().into();
    let object = match field.kind() {
        FieldKind::Word(words) if field.takes_several() => return any_of(pattern(words)),
        FieldKind::Word(words) => pattern(words),
        FieldKind::Words(_) | FieldKind::Text => return any_of(text()),
        FieldKind::YesOrNo => ObjectBuilder::new().schema_type(Type::Boolean),
        FieldKind::Micros => ObjectBuilder::new()
            .schema_type(Type::Integer)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
            .minimum(Some(0)),
        FieldKind::Comparison => text().pattern(Some(COMPARISON)),
        FieldKind::Time | FieldKind::Search => text(),
    };
    object.build().into()
}

/// Sorting and paging parameters.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes what is read one by one")]
pub(crate) struct Paging {
    /// `started_at_us` (default), `completed_at_us`, `duration_ms`, `severity` or `cost_usd`; sessions without an end
    /// or a price come last
    #[param(pattern = "^(started_at_us|completed_at_us|duration_ms|severity|cost_usd)$")]
    sort_by: Option<String>,
    /// desc (default) or asc
    #[param(pattern = "^(desc|asc)$")]
    sort_order: Option<String>,
    /// From 1
    #[param(minimum = 1)]
    page: Option<i64>,
    /// 1 to 100; default 20
    #[param(minimum = 1, maximum = 100)]
    page_size: Option<i64>,
    /// `next_cursor` of the previous page; fast at any depth
    cursor: Option<String>,
    /// exact (default): also counts totals above 10,000, for at most 200 ms before the response; quick: estimates
    /// them
    #[param(pattern = "^(exact|quick)$")]
    total: Option<String>,
}
