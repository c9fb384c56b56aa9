import type { Answer } from '../answer.ts'
import type { Call } from '../call.ts'
import type { Deps } from '../deps.ts'
import { escape } from '../pages/page.ts'

/** GET /search/opensearch.xml: lets a browser add this search (https://github.com/dewitt/opensearch, 1.1 draft 6). */
export function handleDescription(_call: Call, deps: Deps): Answer {
  const base = escape(deps.baseUrl())
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>Unmask</ShortName><Description>Web search of this Unmask server</Description><InputEncoding>UTF-8</InputEncoding>
<Image width="32" height="32" type="image/svg+xml">${base}/docs/icon.svg</Image>
<Url type="text/html" template="${base}/search?q={searchTerms}"/>
</OpenSearchDescription>
`
  return { kind: 'text', type: 'application/opensearchdescription+xml', text, headers: { 'cache-control': 'no-cache' } }
}
