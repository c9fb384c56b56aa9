import type { Place } from './page.ts'

type Example = { caption: string; code: string }

/** To be pasted as they are, once UNMASK_API_KEY is set and, with an authority of our own, unmask-ca.pem is there. */
export function chatExamples({ baseUrl, ownAuthority }: Place): Example[] {
  const trust = ownAuthority ? ' --cacert unmask-ca.pem' : ''
  return [
    {
      caption: 'curl',
      code: `curl${trust} ${baseUrl}/v1/chat/completions \\
  -H "Authorization: Bearer $UNMASK_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "Model", "messages": [{"role": "user", "content": "Tell me about the sea."}]}'`,
    },
    {
      caption: `Python (pip install openai)${ownAuthority ? ', run with SSL_CERT_FILE=unmask-ca.pem' : ''}`,
      code: `import os
from openai import OpenAI

client = OpenAI(base_url="${baseUrl}/v1", api_key=os.environ["UNMASK_API_KEY"])
stream = client.chat.completions.create(
    model="Model",
    messages=[{"role": "user", "content": "Tell me about the sea."}],
    stream=True,
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content, end="", flush=True)`,
    },
    {
      caption: `Node (npm install openai)${ownAuthority ? ', run with NODE_EXTRA_CA_CERTS=unmask-ca.pem' : ''}`,
      code: `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${baseUrl}/v1', apiKey: process.env.UNMASK_API_KEY })
const stream = await client.chat.completions.create({
  model: 'Model',
  messages: [{ role: 'user', content: 'Tell me about the sea.' }],
  stream: true,
})
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '')`,
    },
  ]
}

export function searchExample({ baseUrl, ownAuthority }: Place): Example {
  const trust = ownAuthority ? ' --cacert unmask-ca.pem' : ''
  const code = `curl${trust} ${baseUrl}/api/web-search \\
  -H "Authorization: Bearer $UNMASK_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"query": "diffusion", "count": 3}'`
  return { caption: 'curl, web search', code }
}

/** How to trust a certificate that no public authority has signed. */
export function trustExample({ baseUrl }: Place): string {
  return `curl --insecure ${baseUrl}/ca.pem --output unmask-ca.pem
openssl x509 -in unmask-ca.pem -noout -fingerprint -sha256
export NODE_EXTRA_CA_CERTS=$PWD/unmask-ca.pem   # Node
export SSL_CERT_FILE=$PWD/unmask-ca.pem         # Python`
}
