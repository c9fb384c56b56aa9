/** A video on a site whose player may be embedded: the site's name and the video's id there. */
export type Player = { name: string; id: string }

type KnownPlayer = {
  hosts: readonly string[]
  /** The id is the first group. */
  paths: readonly RegExp[]
  embed: (id: string) => string
  watch: (id: string) => string
  thumbnail?: (id: string) => string
}

const KNOWN: Record<string, KnownPlayer> = {
  youtube: {
    hosts: ['youtube.com', 'youtube-nocookie.com', 'youtu.be'],
    paths: [
      /^\/(?:embed|v|shorts|live|e)\/([\w-]{11})(?:[/?&]|$)/,
      /^\/watch.*[?&]v=([\w-]{11})(?:[&#]|$)/,
      /^\/([\w-]{11})(?:\?|$)/,
    ],
    embed: (id) => `https://www.youtube-nocookie.com/embed/${id}`,
    watch: (id) => `https://www.youtube.com/watch?v=${id}`,
    thumbnail: (id) => `https://i.ytimg.com/vi/${id}/hqdefault.jpg`,
  },
  vimeo: {
    hosts: ['vimeo.com'],
    paths: [/^\/(?:video\/|channels\/[\w-]+\/)?(\d{5,12})(?:[/?]|$)/],
    embed: (id) => `https://player.vimeo.com/video/${id}`,
    watch: (id) => `https://vimeo.com/${id}`,
  },
  dailymotion: {
    hosts: ['dailymotion.com', 'dai.ly'],
    paths: [
      /^\/(?:embed\/)?video\/([a-zA-Z0-9]{5,12})(?:[_/?]|$)/,
      /^\/player(?:\/[\w.]+)?(?:\.html)?\?.*video=([a-zA-Z0-9]{5,12})/,
      /^\/(x[a-z0-9]{4,10})$/,
    ],
    embed: (id) => `https://www.dailymotion.com/embed/video/${id}`,
    watch: (id) => `https://www.dailymotion.com/video/${id}`,
    thumbnail: (id) => `https://www.dailymotion.com/thumbnail/video/${id}`,
  },
  bilibili: {
    hosts: ['bilibili.com', 'player.bilibili.com'],
    paths: [/^\/video\/(BV[a-zA-Z0-9]{10})/, /[?&]bvid=(BV[a-zA-Z0-9]{10})/],
    embed: (id) => `https://player.bilibili.com/player.html?bvid=${id}`,
    watch: (id) => `https://www.bilibili.com/video/${id}`,
  },
}
/** PeerTube runs on many hosts: its address form tells it, and the id carries the host. */
const PEERTUBE = /^\/(?:videos\/(?:embed|watch)|w)\/([\w-]{22}|[0-9a-f]{8}-[0-9a-f-]{27})$/

/** Which known player an address belongs to, or undefined. */
export function playerOf(address: string): Player | undefined {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  const host = url.hostname.replace(/^www\.|^m\./, '')
  const path = url.pathname + url.search
  for (const [name, player] of Object.entries(KNOWN)) {
    if (!player.hosts.some((known) => host === known || host.endsWith(`.${known}`))) continue
    const id = player.paths.map((pattern) => pattern.exec(path)?.[1]).find((found) => found !== undefined)
    return id === undefined ? undefined : { name, id }
  }
  const shared = PEERTUBE.exec(url.pathname)?.[1]
  return shared === undefined ? undefined : { name: 'peertube', id: `${url.host}/${shared}` }
}

/** The page where people watch it. */
export function watchUrl(player: Player): string | undefined {
  if (player.name === 'peertube') return peertubeUrl(player.id, 'watch')
  return isId(player.id) ? known(player.name)?.watch(player.id) : undefined
}

/** A still of the video, where the site keeps one at a known address. */
export function playerThumbnailUrl(player: Player): string | undefined {
  return isId(player.id) ? known(player.name)?.thumbnail?.(player.id) : undefined
}

/** The address that the player's frame loads. */
function embedUrl(player: Player): string | undefined {
  if (player.name === 'peertube') return peertubeUrl(player.id, 'embed')
  return isId(player.id) ? known(player.name)?.embed(player.id) : undefined
}

/** A frame built by us from name and id alone: nothing of a page's own markup can get into it. */
export function embedHtml(player: Player, size: { width?: number; height?: number } = {}): string | undefined {
  const src = embedUrl(player)
  if (src === undefined) return undefined
  const width = pixels(size.width, 640)
  const height = pixels(size.height, Math.round((width * 9) / 16))
  return `<iframe width="${width}" height="${height}" src="${src}" frameborder="0" allowfullscreen></iframe>`
}

/** Names come from stored documents: only our own count. */
function known(name: string): KnownPlayer | undefined {
  return Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined
}

function pixels(value: number | undefined, otherwise: number): number {
  return value !== undefined && Number.isInteger(value) && value > 0 && value <= 7_680 ? value : otherwise
}

function isId(id: string): boolean {
  return /^[\w-]{1,40}$/.test(id)
}

function peertubeUrl(id: string, kind: 'watch' | 'embed'): string | undefined {
  return /^[a-z0-9.-]+(?::\d{1,5})?\/[\w-]{22,36}$/.test(id)
    ? `https://${id.replace('/', `/videos/${kind}/`)}`
    : undefined
}
