import { Type, type Static } from 'typebox'

/** Settings of the HTTPS side, declared once; `config/` gathers them. An empty string or list means: none. */
export const apiOptions = Type.Object({
  host: Type.String({
    default: '127.0.0.1',
    env: 'UNMASK_HOST',
    description: 'Address to listen on. Anything but a loopback address can be reached from other machines.',
  }),
  port: Type.Integer({
    minimum: 0,
    maximum: 65535,
    default: 8443,
    env: 'UNMASK_PORT',
    description: 'Port of the HTTPS listener; 0 lets the system choose.',
  }),
  names: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    env: 'UNMASK_NAMES',
    description:
      'Host names and addresses by which clients reach this server; they go into the certificate beside localhost. The first one is shown in examples.',
  }),
  tlsMode: Type.Union([Type.Literal('self'), Type.Literal('files'), Type.Literal('proxy')], {
    default: 'self',
    env: 'UNMASK_TLS_MODE',
    description:
      'Where TLS comes from: `self` makes a certificate authority and a certificate, `files` reads your own (again on SIGHUP), `proxy` leaves TLS to a proxy in front and listens on loopback or a unix socket only.',
  }),
  tlsCertFile: Type.String({
    default: '',
    env: 'UNMASK_TLS_CERT_FILE',
    description: 'Mode `files`: PEM file of the certificate, followed by its chain.',
  }),
  tlsKeyFile: Type.String({
    default: '',
    env: 'UNMASK_TLS_KEY_FILE',
    description: 'Mode `files`: PEM file of the private key.',
  }),
  unixSocket: Type.String({
    default: '',
    env: 'UNMASK_UNIX_SOCKET',
    description: 'Mode `proxy`: listen on this unix socket instead of host and port.',
  }),
  trustedProxies: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    env: 'UNMASK_TRUSTED_PROXIES',
    description:
      'Addresses and CIDR ranges of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed; `unix` stands for the unix socket.',
  }),
  plainHttpPort: Type.Integer({
    minimum: 0,
    maximum: 65535,
    default: 0,
    env: 'UNMASK_PLAIN_HTTP_PORT',
    description: 'Port of a plain-HTTP listener that serves nothing: 403 for the API, a redirect for pages. 0: none.',
  }),
  corsOrigins: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    env: 'UNMASK_CORS_ORIGINS',
    description: 'Origins whose web pages may call the API from a browser, for example `https://app.example.org`.',
  }),
  outOfRangeSampling: Type.Union([Type.Literal('reject'), Type.Literal('clamp')], {
    default: 'reject',
    env: 'UNMASK_OUT_OF_RANGE_SAMPLING',
    description:
      'What happens to a temperature or top_p from 0 to 0.1 or from 1 to 2: `reject` answers 400, `clamp` takes the nearest allowed value and says so in x-adjusted-params. A key may have its own.',
  }),
  offsetUnit: Type.Union([Type.Literal('result'), Type.Literal('page')], {
    default: 'result',
    env: 'UNMASK_OFFSET_UNIT',
    description:
      'What `offset` of a web search counts: `result`, or `page` for clients that send 1, 2, 3 for successive pages.',
  }),
  searchDeadlineMs: Type.Integer({
    minimum: 50,
    maximum: 60_000,
    default: 3000,
    env: 'UNMASK_SEARCH_DEADLINE_MS',
    description: 'Milliseconds that a web search may take; what was found by then is the answer.',
  }),
  keylessSearch: Type.Union([Type.Literal('auto'), Type.Literal('on'), Type.Literal('off')], {
    default: 'auto',
    env: 'UNMASK_KEYLESS_SEARCH',
    description:
      'Whether GET /api/web-search, the results page, stored copies and pictures need no key: `auto` says yes while the server listens on a loopback address and no proxy stands in front.',
  }),
  keylessPerMinute: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    default: 30,
    env: 'UNMASK_KEYLESS_PER_MINUTE',
    description: 'Searches without a key that one address (of IPv6 a /64) may make in a minute; then 429.',
  }),
  deadlineS: Type.Number({
    minimum: 1,
    maximum: 3600,
    default: 240,
    env: 'UNMASK_DEADLINE_S',
    description:
      'Seconds to the whole of a plain reply, or to the first byte of a stream; then 504. Common clients give up at 300.',
  }),
  keepAliveS: Type.Number({
    minimum: 1,
    maximum: 300,
    default: 15,
    env: 'UNMASK_KEEP_ALIVE_S',
    description: 'Seconds between the comments that keep a quiet stream open through proxies.',
  }),
  bodyBytesMax: Type.Integer({
    minimum: 1024,
    maximum: 67_108_864,
    default: 4_194_304,
    env: 'UNMASK_BODY_BYTES_MAX',
    description: 'Largest request body in bytes; a larger one is answered with 413.',
  }),
  headersTimeoutS: Type.Number({
    minimum: 1,
    maximum: 300,
    default: 10,
    env: 'UNMASK_HEADERS_TIMEOUT_S',
    description: 'Seconds a client may take to send its request line and headers; then 408.',
  }),
  requestTimeoutS: Type.Number({
    minimum: 1,
    maximum: 3600,
    default: 60,
    env: 'UNMASK_REQUEST_TIMEOUT_S',
    description:
      'Seconds a client may take to send a whole request with its body; then 408. A long reply is not affected.',
  }),
  metricsPort: Type.Integer({
    minimum: 0,
    maximum: 65535,
    default: 9464,
    env: 'UNMASK_METRICS_PORT',
    description: 'Port for Prometheus metrics, on 127.0.0.1 only. 0: none. Where it is taken, the log says so.',
  }),
})

export type ApiOptions = Static<typeof apiOptions>
