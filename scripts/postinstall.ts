// npm leaves out an optional package whose `engines` the Node that runs npm does not meet, and says nothing.
// A second install on the pinned Node (which npm has just brought) puts such packages in, from the same lock file.
import { execFileSync } from 'node:child_process'
import { compileKernel } from '../src/engine/ggml/compile-kernel.ts'

const npm = process.env['npm_execpath']
if (npm !== undefined && process.env['UNMASK_SECOND_PASS'] === undefined) {
  execFileSync(
    process.execPath,
    [npm, 'install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      stdio: 'inherit',
      env: { ...process.env, UNMASK_SECOND_PASS: '1' },
    },
  )
  // Now, so that the first start need not. Where it fails, the first start tries again, and `doctor` says why.
  await compileKernel(['node_modules/.cache/kernel']).catch(() => {})
}
