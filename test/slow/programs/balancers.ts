import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { findFreePort } from '../../platform/http/free-port.ts'

const PAGE = join(import.meta.dirname, '../../../docs/scale.md')

function find(variable: string, debian: string): string | undefined {
  return process.env[variable] ?? (existsSync(debian) ? debian : undefined)
}

export const NGINX = find('NGINX_PATH', '/usr/sbin/nginx')
export const HAPROXY = find('HAPROXY_PATH', '/usr/sbin/haproxy')

/**
 * Puts nginx, as docs/scale.md configures it, before two processes until the test has ended.
 *
 * @param behind Their addresses.
 * @returns The address that leads to them.
 */
export async function startNginx(behind: readonly string[]): Promise<string> {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return await start(
    behind,
    async ({ folder, snippet, address }) => {
      const served = snippet.replace('listen 443 ssl;', `listen ${address};`)
      const paths = temporary.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')
      const log = join(folder, 'error.log')
      const file = join(folder, 'nginx.conf')
      await writeFile(
        file,
        `daemon off; master_process off; pid ${folder}/pid; error_log ${log};
events { worker_connections 256; }
http { access_log off; ${paths}
${served} }`,
      )
      return { program: NGINX ?? '', args: ['-c', file, '-e', log] }
    },
    'nginx',
  )
}

/** The same with HAProxy, which asks each process whether it is ready. */
export async function startHaproxy(behind: readonly string[]): Promise<string> {
  return await start(
    behind,
    async ({ folder, snippet, address }) => {
      const file = join(folder, 'haproxy.cfg')
      await writeFile(file, snippet.replace(/bind :443 ssl .*/, `bind ${address}`))
      return { program: HAPROXY ?? '', args: ['-db', '-f', file] }
    },
    'haproxy',
  )
}

interface Configured {
  folder: string
  snippet: string
  address: string
}

async function start(
  behind: readonly string[],
  configure: (configured: Configured) => Promise<{ program: string; args: string[] }>,
  language: string,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kopeck-balancer-'))
  const address = `127.0.0.1:${await findFreePort()}`
  const snippet = await readSnippet(language, behind)
  const { program, args } = await configure({ folder, snippet, address })
  const child = spawn(program, args, { stdio: 'ignore' })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
    await rm(folder, { recursive: true })
  })
  while (!(await answers(`http://${address}`))) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`)
  }
  return `http://${address}`
}

async function readSnippet(language: string, behind: readonly string[]): Promise<string> {
  const block = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms')
  const [, snippet = ''] = block.exec(await readFile(PAGE, 'utf8')) ?? []
  const left = behind.map((address) => new URL(address).host)
  const filled = snippet.replaceAll(/10\.0\.0\.\d+:3000/g, () => String(left.shift()))
  if (left.length > 0) throw new Error(`${PAGE} has another file for ${language}`)
  return filled
}

async function answers(url: string): Promise<boolean> {
  return await fetch(url).then(
    () => true,
    () => false,
  )
}
