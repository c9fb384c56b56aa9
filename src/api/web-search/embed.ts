import { escape } from '../pages/page.ts'

/** Player → shape of its ids, and the address of its embedded form. Nothing of a page's own HTML ever gets in. */
const PLAYERS: Record<string, [id: RegExp, address: (id: string) => string]> = {
  youtube: [/^[\w-]{11}$/, (id) => `https://www.youtube-nocookie.com/embed/${id}`],
  vimeo: [/^\d{1,12}$/, (id) => `https://player.vimeo.com/video/${id}`],
  dailymotion: [/^[a-z0-9]{1,20}$/i, (id) => `https://www.dailymotion.com/embed/video/${id}`],
  bilibili: [/^BV[0-9A-Za-z]{10}$/, (id) => `https://player.bilibili.com/player.html?bvid=${id}`],
}

/** `<iframe>` of a known player, or null. */
export function embedHtml(player: { name: string; id: string } | undefined, title: string): string | null {
  const known = player !== undefined && Object.hasOwn(PLAYERS, player.name) ? PLAYERS[player.name] : undefined
  if (player === undefined || known === undefined || !known[0].test(player.id)) return null
  return `<iframe width="640" height="360" src="${known[1](player.id)}" title="${escape(title)}" allow="fullscreen; picture-in-picture" referrerpolicy="no-referrer" sandbox="allow-scripts allow-same-origin allow-popups allow-presentation"></iframe>`
}
