import type { ModelCard } from '../../engine/messages.ts'
import { chatExamples, trustExample } from './examples.ts'
import { codeBlock, escape, renderPage, SITE_NAME, table, type Place } from './page.ts'

type Shown = Place & { models: readonly ModelCard[]; fingerprint: string | undefined }

/** Where to go from here. Tells nothing that a stranger may not know. */
export function renderFirstPage(shown: Shown): string {
  const models = shown.models.map((card) => [`<code>${escape(card.id)}</code>`, escape(card.description)])
  const [curl] = chatExamples(shown)
  const trust =
    shown.ownAuthority && shown.fingerprint !== undefined
      ? `<h2 id="trust">Trust this server</h2>
<p>Its certificate is signed by an authority of its own. <a href="/ca.pem">Download</a> it once, and compare its fingerprint with that of <code>tls/ca.pem</code> in the server’s data folder:</p>
<p><code>${escape(shown.fingerprint)}</code></p>
${codeBlock('Shell', trustExample(shown))}`
      : ''
  return renderPage(
    'Unmask',
    `<div class="columns single"><main id="main">
<h1>Unmask is running</h1>
<p class="lead">Chat completions from mask-diffusion language models, for any OpenAI client, and web search over an index of its own.</p>
<p>Base URL: <code>${escape(shown.baseUrl)}/v1</code></p>
<ul class="cards">
<li><a href="/search"><strong>Search</strong> The pages, images and videos that this server has crawled.</a></li>
<li><a href="/docs/"><strong>Manual</strong> From the first start to running it for others.</a></li>
<li><a href="/docs/api/"><strong>API reference</strong> Calls, fields, errors and limits, with examples to copy.</a></li>
<li><a href="/openapi.json"><strong>OpenAPI</strong> The same for machines: OpenAPI 3.1.</a></li>
${shown.ownAuthority ? '<li><a href="/ca.pem"><strong>Certificate authority</strong> The file that clients need to trust this server.</a></li>' : ''}
</ul>
<h2>First call</h2>
<p>Put an API key into <code>UNMASK_API_KEY</code>; the server’s operator makes one with <code>./unmask keys create --name NAME</code>.${shown.ownAuthority ? ' <code>unmask-ca.pem</code> is fetched as told under <a href="#trust">Trust this server</a>.' : ''}</p>
${curl === undefined ? '' : codeBlock(curl.caption, curl.code)}
<h2>Models</h2>
${models.length === 0 ? '<p>None is loaded yet.</p>' : table('Models', ['Model', 'What it is'], models)}
${trust}
</main></div>`,
    { head: SITE_NAME },
  )
}
