/**
 * `node scripts/config-docs.ts` writes docs/configuration.md and docs/unmask.example.json from the declarations of the
 * settings. `npm run check` fails while they differ.
 */
import { writeFileSync } from 'node:fs'
import { allowed } from '../src/config/check-value.ts'
import { listSettings, type Setting } from '../src/config/settings.ts'

/** Path → content, as it must be. */
export function renderConfigDocs(): Record<string, string> {
  const settings = listSettings()
  return { 'docs/configuration.md': renderPage(settings), 'docs/unmask.example.json': renderExample(settings) }
}

const INTRODUCTION = `# Configuration

<!-- Written by scripts/config-docs.ts from the declarations in src/*/options.ts; changes here are lost. -->

Nothing has to be set: \`npm start\` works as it is. A setting comes from, the later one winning:

1. its default;
2. the configuration file: \`unmask.json\` in the data folder, or the one that \`--config FILE\` or \`UNMASK_CONFIG\` names.
   It is JSON with comments; [unmask.example.json](unmask.example.json) holds every setting with its default;
3. its environment variable. Of each there is also a form with \`_FILE\` at the end, which names a file that holds the
   value: for secrets that come as files;
4. \`--set NAME=VALUE\`, as often as needed, and the short flags that \`./unmask serve --help\` shows.

A name that does not exist and a value that is not allowed are refused at the start, all of them at once, each with what
is allowed; of the environment only the variables named here are looked at. In the environment and in flags a list is
written \`a,b\`, names with values \`a=1,b=2\`; names with values add to those of the earlier sources.

The data folder is \`./data\`, or the one that \`--data DIR\` or \`UNMASK_DATA\` names.
`

function renderPage(settings: Setting[]): string {
  const names = [...new Set(settings.map((setting) => sectionOf(setting)))]
  const tables = names.map((name) => {
    const rows = settings.filter((setting) => sectionOf(setting) === name).map((setting) => renderRow(setting))
    return `\n## ${name}\n\n| Setting | Default | Allowed | Meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`
  })
  return INTRODUCTION + tables.join('')
}

function renderRow(setting: Setting): string {
  const value = setting.default === undefined ? '' : `\`${JSON.stringify(setting.default)}\``
  const cells = [`\`${setting.name}\`<br>\`${setting.env}\``, value, allowed(setting.schema), setting.description]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

/** Every setting with its default; one that has none is a comment. The file loads as it is, and changes nothing. */
function renderExample(settings: Setting[]): string {
  const names = [...new Set(settings.map((setting) => sectionOf(setting)))]
  const sections = names.map((name) => {
    const inside = settings.filter((setting) => sectionOf(setting) === name)
    return `  "${name}": {\n${inside.map((setting) => renderMember(setting)).join('\n')}\n  },\n`
  })
  return `// Every setting with its default. Copy what you change to unmask.json in the data folder.\n{\n${sections.join('')}}\n`
}

function renderMember(setting: Setting): string {
  const key = setting.name.slice(sectionOf(setting).length + 1)
  const member = `${JSON.stringify(key)}: ${JSON.stringify(setting.default ?? '')},`
  return `    // ${setting.description}\n    ${setting.default === undefined ? `// ${member}` : member}`
}

function sectionOf(setting: Setting): string {
  return setting.name.split('.')[0] ?? setting.name
}

if (import.meta.main) {
  for (const [path, content] of Object.entries(renderConfigDocs())) writeFileSync(path, content)
}
