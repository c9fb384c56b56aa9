import type { Terminal } from '../terminal.ts'

/** What the first screen tells. `firstKey`: the secret itself on a terminal, else the file it was written to. */
export type Opening = {
  version: string
  baseUrl: string
  /** Undefined where the certificate is the operator's own, or a proxy's. */
  caFile: string | undefined
  fingerprint: string | undefined
  /** Of the authority's certificate, the one in `caFile`. */
  caFingerprint: string | undefined
  models: string[]
  firstKey: { kind: 'secret'; secret: string } | { kind: 'file'; path: string } | undefined
  joined: boolean
  /** From the start of the process, ms. */
  startMs: number
}

/** The first start shows all of it; later ones only where it listens and where to read more. */
export function renderBanner(opening: Opening, { paint }: Pick<Terminal, 'paint'>): string {
  const { baseUrl, firstKey } = opening
  const rows: [name: string, text: string][] = [
    ['Address', baseUrl],
    ['OpenAI clients', `base URL ${baseUrl}/v1`],
    ['Models', opening.models.join(', ')],
    ['Search', `${baseUrl}/search`],
    ['Manual', `${baseUrl}/docs/`],
    ...(firstKey === undefined ? [] : trustRows(opening)),
    ...(firstKey === undefined ? [] : [keyRow(firstKey)]),
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, text]) => `  ${paint('dim', name.padEnd(width))}  ${text}`)
  const what = opening.joined ? 'has joined' : 'is ready'
  const title = `${paint('bold', `Unmask ${opening.version}`)} ${what} ${paint('dim', `(${opening.startMs} ms)`)}`
  const end = firstKey === undefined ? laterEnd(opening) : firstEnd(opening, firstKey, paint)
  return ['', `  ${title}`, '', ...lines, '', ...end, ''].join('\n')
}

function trustRows({ fingerprint, caFile, caFingerprint }: Opening): [string, string][] {
  return [
    ...(fingerprint === undefined ? [] : [['Certificate', `SHA-256 ${fingerprint}`] satisfies [string, string]]),
    ...(caFile === undefined ? [] : [['CA file', caFile] satisfies [string, string]]),
    ...(caFingerprint === undefined ? [] : [['', `SHA-256 ${caFingerprint}`] satisfies [string, string]]),
  ]
}

function keyRow(firstKey: NonNullable<Opening['firstKey']>): [string, string] {
  if (firstKey.kind === 'secret') return ['First key', `${firstKey.secret}  (shown once: store it now)`]
  return ['First key', `in ${firstKey.path} (readable by you only)`]
}

function firstEnd(opening: Opening, firstKey: NonNullable<Opening['firstKey']>, paint: Terminal['paint']): string[] {
  return [
    '  Paste this into another terminal:',
    '',
    paint('cyan', renderCurl(opening, firstKey)),
    '',
    '  Ctrl+C stops it.',
  ]
}

function laterEnd({ joined }: Opening): string[] {
  return [`  ${joined ? '' : 'A new key: ./unmask keys create --name NAME. '}Ctrl+C stops it.`]
}

/** One command that streams a reply, in any POSIX shell, from any folder. */
export function renderCurl({ baseUrl, caFile, models }: Opening, firstKey: NonNullable<Opening['firstKey']>): string {
  const key = firstKey.kind === 'secret' ? firstKey.secret : `$(cat ${quote(firstKey.path)})`
  const messages = [{ role: 'user', content: 'What is the capital of Italy?' }]
  return [
    `curl -N ${caFile === undefined ? '' : `--cacert ${quote(caFile)} `}${baseUrl}/v1/chat/completions \\`,
    `  -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify({ model: models[0] ?? 'Model', stream: true, temperature: 0.2, messages })}'`,
  ].join('\n')
}

/** A word for a POSIX shell: as it is where nothing in it is special, else in single quotes. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
