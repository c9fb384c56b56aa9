import type { Listed } from './command.ts'

/** Every command in the order of the help. Loaded only when called: `help` is quick, and `keys` never loads the engine. */
export const COMMANDS: Record<string, Listed> = {
  serve: { summary: 'Serve the API (what npm start runs)', load: async () => (await import('./serve.ts')).serve },
  crawl: {
    summary: 'Fetch pages of web sites, so that search finds them',
    load: async () => (await import('./crawl.ts')).crawl,
  },
  search: { summary: 'Search the index of the data folder', load: async () => (await import('./search.ts')).search },
  keys: { summary: 'Create, list, revoke and rotate API keys', load: async () => (await import('./keys.ts')).keys },
  accounts: { summary: 'Create and list accounts', load: async () => (await import('./accounts.ts')).accounts },
  packages: { summary: 'List and set packages of limits', load: async () => (await import('./packages.ts')).packages },
  models: { summary: 'List, inspect and make model files', load: async () => (await import('./models.ts')).models },
  bench: { summary: 'Measure this machine', load: async () => (await import('./bench.ts')).bench },
  doctor: { summary: 'Tell whether everything is in place', load: async () => (await import('./doctor.ts')).doctor },
}
