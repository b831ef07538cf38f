"""Techniques that go beyond pages and forms, by what code and dependencies show."""

from __future__ import annotations

from dataclasses import dataclass

from tablewright.systems.vibejudge.static.codebase import Code, Codebase
from tablewright.systems.vibejudge.static.results import Finding


@dataclass(frozen=True, slots=True)
class Technique:
    name: str
    #: Any of these, as whole words; those in small letters after ``~`` in any letters.
    phrases: tuple[str, ...]


def _technique(name: str, phrases: str) -> Technique:
    return Technique(name, tuple(each.strip() for each in phrases.split("|")))


#: Each counts once, where it is first seen in code of the product.
TECHNIQUES = (
    _technique(
        "a model is trained or run here",
        ".fit(X | .fit(x_train | nn.Module | tf.keras | keras.layers | keras.models "
        "| InferenceSession( | tf.loadLayersModel | tf.loadGraphModel | tf.sequential "
        "| loss.backward( | MLModel "
        '| pipeline("text | pipeline(\'text | pipeline("sentiment | pipeline("image '
        '| pipeline("zero | from_pretrained( | RandomForestClassifier( | tf.Session(',
    ),
    _technique(
        "a language model is put to work",
        "chat.completions.create( | messages.create( | generateText( | streamText( | ChatOpenAI( "
        "| StateGraph( | generate_content( | "
        "generateContent( | createChatCompletion( | ChatCompletion.create( | ConverseCommand( | "
        "ConverseStreamCommand( | ollama.chat( | "
        "responses.create( | completions.create( | cohere.Client( | Completion.create(",
    ),
    _technique(
        "meaning is searched by vectors",
        "embeddings.create( | ~cosine_similarity | ~cosinesimilarity | faiss. | ~chromadb | "
        "~pinecone | ~pgvector | ~qdrant | "
        "embed_query( | embed_documents( | SentenceTransformer(",
    ),
    _technique(
        "pictures or video are understood",
        "cv2. | mediapipe | face_recognition | YOLO( | cocoSsd | posenet | VNRecognizeTextRequest "
        "| faceapi. | pytesseract | Tesseract. | "
        "handpose | ARKit | ARSession | ImageAnnotatorClient | detect_faces( | rekognition",
    ),
    _technique(
        "sound or speech is worked on",
        "librosa. | AudioContext( | SpeechRecognition( | webkitSpeechRecognition | whisper. | "
        "pyaudio | SFSpeechRecognizer | np.fft | fft( | "
        "MediaRecorder( | AVAudioEngine | speech_recognition | SpeechSynthesisUtterance( | "
        "deepgram",
    ),
    _technique(
        "both sides talk in real time",
        "new WebSocket( | io.on( | socketio. | websocket.Upgrader | .websocket( | new "
        "EventSource( | RTCPeerConnection( | websockets.serve( | "
        "websockets.connect( | @SubscribeMessage | SignalR | ActionCable | socket.on( | "
        "onSnapshot( | EventSourceResponse(",
    ),
    _technique(
        "work is done at the same time",
        "asyncio.gather | asyncio.create_task | asyncio.TaskGroup | asyncio.Queue | "
        "ThreadPoolExecutor( | ProcessPoolExecutor( | multiprocessing. | "
        "go func( | sync.WaitGroup | sync.Mutex | sync.RWMutex | tokio::spawn | tokio::select | "
        "rayon:: | par_iter( | new Worker( | worker_threads | "
        "CompletableFuture. | Executors. | crossbeam | std::thread | Promise.all( | "
        "ReentrantLock( | DispatchQueue. | threading.Thread(",
    ),
    _technique(
        "results are kept for later",
        "@lru_cache | @functools.lru_cache | @functools.cache | @cached | @Cacheable | redis.get "
        "| redis.Redis | redis.createClient | sync.Pool | setex( | "
        "LRUCache( | LRUMap( | caches.open( | WeakMap( | @st.cache_data | @st.cache_resource | "
        "unstable_cache(",
    ),
    _technique(
        "work is queued and done later",
        "@shared_task | @celery.task | @app.task | new Queue( | KafkaConsumer( | basic_publish( | "
        "sendToQueue( | @KafkaListener | @RabbitListener | "
        "perform_later | Sidekiq:: | BackgroundTasks | nats.Connect( | SQSClient( | "
        "BackgroundScheduler(",
    ),
    _technique(
        "a language or a format is parsed",
        "class Lexer | class Tokenizer | class Parser | class Compiler | class Interpreter | "
        "class Grammar | struct Lexer | struct Parser | struct Tokenizer | "
        "struct Compiler | type Lexer | type Parser | nom:: | pest:: | peg.generate | "
        "ast.NodeVisitor | ANTLR",
    ),
    _technique(
        "graphs or searches are computed",
        "~dijkstra | ~a_star | ~astar | bfs( | dfs( | ~breadth_first | ~depth_first | "
        "~topological_sort | ~toposort | networkx | heapq.heappush | "
        "PriorityQueue | ~minimax | ~alpha_beta | ~pagerank | ~union_find | ~trie",
    ),
    _technique(
        "results are optimised or simulated",
        "~monte_carlo | ~montecarlo | ~simulated_annealing | ~genetic_algorithm | scipy.optimize "
        "| linprog( | pulp. | ortools | ~kalman | ~gradient_descent | "
        "~markov | odeint( | ~q_learning | ~reinforcement | ~particlesystem",
    ),
    _technique(
        "data is protected by cryptography",
        "AESGCM( | Fernet( | createCipheriv( | crypto.subtle | ed25519 | hmac.new( | createHmac( "
        "| hmac.New( | snarkjs | argon2 | nacl | CryptoKit | "
        "cipher.NewGCM( | ~homomorphic",
    ),
    _technique(
        "contracts run on a chain",
        "pragma solidity | ethers.Contract | ethers.providers | JsonRpcProvider | new Web3( | "
        "anchor_lang | solana_program | useContractWrite( | "
        "Connection(clusterApiUrl | xrpl",
    ),
    _technique(
        "hardware is driven",
        "RPi.GPIO | digitalWrite( | analogRead( | serial.Serial( | Serial.begin( | "
        "navigator.bluetooth | CoreBluetooth | mqtt.Client( | rclpy | rospy | "
        "pigpio | dronekit | robot.move | BleManager",
    ),
    _technique(
        "space is drawn in three dimensions",
        "THREE. | gl_Position | gl_FragColor | UnityEngine | wgpu:: | RealityKit | SceneKit | "
        "MonoBehaviour | getContext('webgl | getContext(\"webgl | "
        "@react-three/fiber | bpy.",
    ),
    _technique(
        "places and maps are computed",
        "~haversine | geopandas | shapely | mapboxgl | new google.maps. | L.map( | turf. | "
        "~postgis | ST_Distance | MKMapView | CLLocationManager | osmnx | "
        "GoogleMap | folium.",
    ),
    _technique(
        "the machine's own speed is used",
        "WebAssembly.instantiate | #[wasm_bindgen] | @njit | @jit | numba | __global__ void | "
        "std::arch:: | _mm256_loadu_si256 | Mmap | io_uring | ~simd",
    ),
    _technique(
        "code is made by code",
        "macro_rules! | #[proc_macro | __init_subclass__ | reflect.TypeOf( | reflect.ValueOf( | "
        "new Proxy( | metaclass= | define_method | __set_name__ | "
        "InvocationHandler | template <typename | template<typename | KSerializer | expect fun | "
        "expect class",
    ),
    _technique(
        "it works without a network",
        "serviceWorker.register( | indexedDB.open( | new Dexie( | Y.Doc( | Automerge. | workbox | "
        "PouchDB( | openDB(",
    ),
)


def techniques_of(base: Codebase) -> list[Finding]:
    """One finding for each technique."""
    texts = [_Text(code) for code in base.product]
    found: list[Finding] = []
    for technique in TECHNIQUES:
        seen = next((hit for text in texts if (hit := text.first(technique))), None)
        if seen is not None:
            code, at = seen
            said = f"A technique beyond the usual: {technique.name}"
            found.append(code.finding("technique", code.line_at(at), "info", said))
    return found


class _Text:
    """Texts are searched for plain phrases: much quicker than patterns, over all of a product."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._text = code.code[: code.product_end]
        # Words that people use as well count only outside of strings.
        self._low = code.bare[: code.product_end].lower()

    def first(self, technique: Technique) -> tuple[Code, int] | None:
        places = [at for each in technique.phrases if (at := self._find(each)) >= 0]
        return (self._code, min(places)) if places else None

    def _find(self, phrase: str) -> int:
        text = self._low if phrase.startswith("~") else self._text
        wanted = phrase.removeprefix("~")
        at = text.find(wanted)
        while at >= 0 and not _whole(text, at, wanted):
            at = text.find(wanted, at + 1)
        return at


def _whole(text: str, at: int, phrase: str) -> bool:
    before, after = text[at - 1 : at], text[at + len(phrase) : at + len(phrase) + 1]
    starts = not (_is_word(phrase[0]) and _is_word(before))
    return starts and not (_is_word(phrase[-1]) and _is_word(after))


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
