import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { findFreePort } from '../platform/http/free-port.ts'

const DEBIAN = '/usr/sbin/nginx'
const PAGE = join(import.meta.dirname, '../../docs/scale.md')

/** The nginx of Debian's package, or the one at NGINX_PATH; undefined where there is none. */
export const NGINX = process.env.NGINX_PATH ?? (existsSync(DEBIAN) ? DEBIAN : undefined)

/**
 * Puts nginx, as docs/scale.md configures it, before two processes until the test has ended.
 *
 * @param behind Their addresses.
 * @returns The address that leads to them.
 */
export async function startNginx(behind: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kopeck-nginx-'))
  const address = `127.0.0.1:${await findFreePort()}`
  const settings = join(folder, 'nginx.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ')
  await writeFile(
    settings,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 256; }
http { access_log off; ${temporary}
${await readSnippet({ address, behind })} }`,
  )
  const child = spawn(NGINX ?? '', ['-c', settings, '-e', join(folder, 'error.log')], {
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
    await rm(folder, { recursive: true })
  })
  while (!(await answers(`http://${address}`))) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`)
  }
  return `http://${address}`
}

/** The page's file with our addresses instead of its own, and without TLS. */
async function readSnippet(ours: { address: string; behind: readonly string[] }): Promise<string> {
  const [, snippet = ''] = /^```nginx\n(.*?)^```$/ms.exec(await readFile(PAGE, 'utf8')) ?? []
  const left = ours.behind.map((address) => new URL(address).host)
  const filled = snippet
    .replace('listen 443 ssl;', `listen ${ours.address};`)
    .replaceAll(/server 10\.0\.0\.\d+:3000/g, () => `server ${left.shift()}`)
  if (left.length > 0 || filled === snippet) throw new Error(`${PAGE} has another nginx file`)
  return filled
}

async function answers(url: string): Promise<boolean> {
  return await fetch(url).then(
    () => true,
    () => false,
  )
}
