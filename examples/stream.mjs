// UNMASK_API_KEY=um_live_… NODE_EXTRA_CA_CERTS=data/tls/ca.pem node examples/stream.mjs
import OpenAI from 'openai'

const client = new OpenAI({ baseURL: 'https://127.0.0.1:8443/v1', apiKey: process.env.UNMASK_API_KEY })
const stream = await client.chat.completions.create({
  model: 'Model',
  messages: [{ role: 'user', content: 'Give me three tips for sleeping better.' }],
  stream: true,
})
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '')
