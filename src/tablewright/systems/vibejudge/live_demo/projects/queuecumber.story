@@ project queuecumber
@@ author lena Lena Hartig <lena@queuecumber.example>
@@ author sam Sam Okoro <sam@queuecumber.example>

@@ commit 2026-09-18 18:37 lena
A queue that forgets nothing until it is told to
@@ file Cargo.toml
[package]
name = "queuecumber"
version = "0.1.0"
edition = "2021"

[dependencies]
axum = "0.7.9"
serde = { version = "1.0.215", features = ["derive"] }
serde_json = "1.0.133"
tokio = { version = "1.41.1", features = ["full"] }
@@ file .gitignore
/target
@@ file src/queue.rs
//! Jobs in the order they came. A job that is taken comes back unless it is done in time.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    pub id: u64,
    pub body: String,
    pub tries: u32,
}

#[derive(Debug, PartialEq)]
pub enum QueueError {
    Full,
    NotTaken(u64),
}

pub struct Queue {
    waiting: VecDeque<Job>,
    taken: HashMap<u64, (Job, Instant)>,
    next_id: u64,
    most: usize,
    lease: Duration,
}

impl Queue {
    pub fn new(most: usize, lease: Duration) -> Self {
        Queue {
            waiting: VecDeque::new(),
            taken: HashMap::new(),
            next_id: 1,
            most,
            lease,
        }
    }

    pub fn push(&mut self, body: String) -> Result<u64, QueueError> {
        if self.waiting.len() + self.taken.len() >= self.most {
            return Err(QueueError::Full);
        }
        let id = self.next_id;
        self.next_id += 1;
        self.waiting.push_back(Job { id, body, tries: 0 });
        Ok(id)
    }

    pub fn take(&mut self, now: Instant) -> Option<Job> {
        self.return_late(now);
        let mut job = self.waiting.pop_front()?;
        job.tries += 1;
        self.taken.insert(job.id, (job.clone(), now + self.lease));
        Some(job)
    }

    pub fn done(&mut self, id: u64) -> Result<(), QueueError> {
        match self.taken.remove(&id) {
            Some(_) => Ok(()),
            None => Err(QueueError::NotTaken(id)),
        }
    }

    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whoever took them had time enough: the oldest goes to the front again.
    fn return_late(&mut self, now: Instant) {
        let mut late: Vec<u64> = self
            .taken
            .iter()
            .filter(|(_, (_, until))| *until <= now)
            .map(|(id, _)| *id)
            .collect();
        late.sort_unstable_by(|one, other| other.cmp(one));
        for id in late {
            if let Some((job, _)) = self.taken.remove(&id) {
                self.waiting.push_front(job);
            }
        }
    }
}

@@ commit 2026-09-18 21:14 sam
Tests for late and lost jobs
@@ file tests/queue.rs
use queuecumber::queue::{Queue, QueueError};
use std::time::{Duration, Instant};

const LEASE: Duration = Duration::from_secs(30);

#[test]
fn jobs_come_in_order() {
    let mut queue = Queue::new(10, LEASE);
    let now = Instant::now();
    queue.push("first".into()).unwrap();
    queue.push("second".into()).unwrap();
    assert_eq!(queue.take(now).unwrap().body, "first");
    assert_eq!(queue.take(now).unwrap().body, "second");
    assert_eq!(queue.take(now), None);
}

#[test]
fn a_late_job_comes_back_and_counts_its_tries() {
    let mut queue = Queue::new(10, LEASE);
    let now = Instant::now();
    queue.push("slow".into()).unwrap();
    assert_eq!(queue.take(now).unwrap().tries, 1);
    assert_eq!(queue.take(now + LEASE).unwrap().tries, 2);
}

#[test]
fn done_is_done_once() {
    let mut queue = Queue::new(10, LEASE);
    let id = queue.push("once".into()).unwrap();
    assert_eq!(queue.done(id), Err(QueueError::NotTaken(id)));
    queue.take(Instant::now()).unwrap();
    assert_eq!(queue.done(id), Ok(()));
    assert_eq!(queue.done(id), Err(QueueError::NotTaken(id)));
}

#[test]
fn a_full_queue_says_so() {
    let mut queue = Queue::new(1, LEASE);
    queue.push("one".into()).unwrap();
    assert_eq!(queue.push("two".into()), Err(QueueError::Full));
}
@@ file src/lib.rs
//! A small job queue with an HTTP front.

pub mod queue;

@@ commit 2026-09-19 11:45 lena
Serve it over HTTP
@@ file src/settings.rs
//! What can be set from outside.

use std::env;
use std::time::Duration;

pub struct Settings {
    pub address: String,
    pub most: usize,
    pub lease: Duration,
}

impl Settings {
    pub fn from_env() -> Self {
        Settings {
            address: env::var("QUEUE_ADDRESS").unwrap_or_else(|_| "127.0.0.1:7070".into()),
            most: number("QUEUE_MOST", 10_000) as usize,
            lease: Duration::from_secs(number("QUEUE_LEASE_SECS", 30)),
        }
    }
}

fn number(name: &str, otherwise: u64) -> u64 {
    env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(otherwise)
}
@@ file src/routes.rs
//! The HTTP side: one queue, shared by all requests.

use crate::queue::{Queue, QueueError};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

type Shared = Arc<Mutex<Queue>>;

#[derive(Deserialize)]
pub struct NewJob {
    body: String,
}

#[derive(Serialize)]
pub struct Taken {
    id: u64,
    body: String,
    tries: u32,
}

pub fn router(queue: Queue) -> Router {
    Router::new()
        .route("/v1/jobs", post(push))
        .route("/v1/jobs/next", post(take))
        .route("/v1/jobs/:id", delete(done))
        .route("/v1/length", get(length))
        .with_state(Arc::new(Mutex::new(queue)))
}

async fn push(State(queue): State<Shared>, Json(job): Json<NewJob>) -> Result<Json<u64>, StatusCode> {
    let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
    queue.push(job.body).map(Json).map_err(status_of)
}

async fn take(State(queue): State<Shared>) -> Result<Json<Taken>, StatusCode> {
    let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
    let job = queue.take(Instant::now()).ok_or(StatusCode::NO_CONTENT)?;
    Ok(Json(Taken {
        id: job.id,
        body: job.body,
        tries: job.tries,
    }))
}

async fn done(State(queue): State<Shared>, Path(id): Path<u64>) -> Result<(), StatusCode> {
    let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
    queue.done(id).map_err(status_of)
}

async fn length(State(queue): State<Shared>) -> Json<usize> {
    Json(queue.lock().unwrap_or_else(PoisonError::into_inner).len())
}

fn status_of(error: QueueError) -> StatusCode {
    match error {
        QueueError::Full => StatusCode::TOO_MANY_REQUESTS,
        QueueError::NotTaken(_) => StatusCode::NOT_FOUND,
    }
}
@@ file src/main.rs
use queuecumber::queue::Queue;
use queuecumber::routes::router;
use queuecumber::settings::Settings;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let settings = Settings::from_env();
    let listener = TcpListener::bind(&settings.address).await?;
    println!("listening on {}", settings.address);
    axum::serve(listener, router(Queue::new(settings.most, settings.lease))).await
}
@@ edit src/lib.rs
pub mod queue;
@@ into
pub mod queue;
pub mod routes;
pub mod settings;

@@ commit 2026-09-19 16:19 sam
A job that fails too often is set aside
@@ edit src/queue.rs
    taken: HashMap<u64, (Job, Instant)>,
    next_id: u64,
@@ into
    taken: HashMap<u64, (Job, Instant)>,
    aside: Vec<Job>,
    next_id: u64,
@@ edit src/queue.rs
            taken: HashMap::new(),
            next_id: 1,
@@ into
            taken: HashMap::new(),
            aside: Vec::new(),
            next_id: 1,
@@ edit src/queue.rs
                self.waiting.push_front(job);
            }
@@ into
                if job.tries >= MOST_TRIES {
                    self.aside.push(job);
                } else {
                    self.waiting.push_front(job);
                }
            }
@@ edit src/queue.rs
    pub fn len(&self) -> usize {
@@ into
    /// Jobs that nobody could finish, for people to look at.
    pub fn set_aside(&self) -> &[Job] {
        &self.aside
    }

    pub fn len(&self) -> usize {
@@ edit src/queue.rs
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
@@ into
pub const MOST_TRIES: u32 = 5;

#[derive(Clone, Debug, PartialEq)]
pub struct Job {
@@ edit tests/queue.rs
#[test]
fn done_is_done_once() {
@@ into
#[test]
fn a_job_that_always_fails_is_set_aside() {
    let mut queue = Queue::new(10, LEASE);
    let mut now = Instant::now();
    queue.push("poison".into()).unwrap();
    while queue.take(now).is_some() {
        now += LEASE;
    }
    assert_eq!(queue.set_aside().len(), 1);
    assert_eq!(queue.len(), 0);
}

#[test]
fn done_is_done_once() {

@@ commit 2026-09-20 13:02 lena
Documentation, container, and what is set aside over HTTP
@@ edit src/routes.rs
        .route("/v1/length", get(length))
@@ into
        .route("/v1/length", get(length))
        .route("/v1/aside", get(aside))
@@ edit src/routes.rs
fn status_of(error
@@ into
async fn aside(State(queue): State<Shared>) -> Json<Vec<String>> {
    let queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
    Json(queue.set_aside().iter().map(|job| job.body.clone()).collect())
}

fn status_of(error
@@ file Dockerfile
FROM rust:1.82-slim AS build
WORKDIR /src
COPY . .
RUN cargo build --release

FROM debian:bookworm-slim
COPY --from=build /src/target/release/queuecumber /usr/local/bin/
ENV QUEUE_ADDRESS=0.0.0.0:7070
CMD ["queuecumber"]
@@ file README.md
# Queuecumber

A job queue that stays cool: jobs are handed out one at a time, come back if
nobody finishes them within their lease, and are set aside after five tries.

## Getting started

    cargo run
    curl -X POST localhost:7070/v1/jobs -H 'content-type: application/json' -d '{"body": "wash up"}'
    curl -X POST localhost:7070/v1/jobs/next

## API reference

- `POST /v1/jobs` puts a job into the queue; 429 when it is full.
- `POST /v1/jobs/next` takes the oldest; 204 when there is none.
- `DELETE /v1/jobs/{id}` says that it is done; 404 when nobody has it.
- `GET /v1/length` counts, `GET /v1/aside` lists what nobody could finish.

## Design

The queue itself is a plain struct without threads or clocks: it is told what
time it is. So every rule about lateness is tested without waiting.
