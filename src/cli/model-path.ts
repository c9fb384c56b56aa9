import { isAbsolute, join } from 'node:path'

/** Where a bound model's file is: relative ones begin at the installation's folder, where the bundled ones lie. */
export function modelPath(root: string, bound: string): string {
  return isAbsolute(bound) ? bound : join(root, bound)
}
