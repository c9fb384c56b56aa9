import type { Picture } from '../../search/pictures.ts'
import type { Answer } from '../answer.ts'
import type { Call } from '../call.ts'
import type { Deps } from '../deps.ts'
import { ApiError } from '../errors.ts'
import { isSigned, type PictureKind } from '../web-search/links.ts'

const PICTURE_HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  // A result names it under the same address for as long as the source is the same.
  'cache-control': 'private, max-age=86400',
}

/** GET /thumb/:signature?url=…: a picture that one of our results names, small. */
export function handleThumbnail(call: Call, deps: Deps): Promise<Answer> {
  return picture('thumb', call, deps, (url, signal) => deps.pictures.thumbnail(url, signal))
}

/** GET /icon/:signature?url=…: the icon of a site in our results. */
export function handleIcon(call: Call, deps: Deps): Promise<Answer> {
  return picture('icon', call, deps, (url, signal) => deps.pictures.icon(url, signal))
}

type Find = (url: string, signal: AbortSignal) => Promise<Picture | undefined>

async function picture(kind: PictureKind, call: Call, deps: Deps, find: Find): Promise<Answer> {
  const url = new URLSearchParams(call.query).get('url') ?? ''
  // Unsigned, this would be a way for strangers to have any address fetched by us.
  if (!isSigned(kind, url, call.parameters['signature'] ?? '', deps.linkKey)) throw new ApiError('not_found')
  const found = await find(url, call.signal)
  call.signal.throwIfAborted()
  if (found === undefined) throw new ApiError('not_found', { text: 'The picture cannot be had from its site.' })
  return { kind: 'bytes', type: found.type, bytes: found.bytes, headers: PICTURE_HEADERS }
}
