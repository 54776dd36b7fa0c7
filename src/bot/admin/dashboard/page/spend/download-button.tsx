import { useState } from 'preact/hooks'
import type { DownloadAnswer, DownloadBody } from '../../api.ts'
import { Icon } from '../parts/icons.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { type Problem, toProblem } from '../talk/request.ts'
import { sendSigned } from '../talk/session.ts'
import { downloadByTelegram } from '../telegram/telegram.ts'
import { words } from '../words/language.ts'

/** Fetches the charges that are shown as a file. */
export function DownloadButton({ request }: { request: DownloadBody }) {
  const [problem, setProblem] = useState<Problem | undefined>()
  const { csv, csvLabel } = words.value.spend
  return (
    <div class="download">
      <button
        type="button"
        class="button"
        aria-label={csvLabel}
        onClick={() => {
          setProblem(undefined)
          download(request).catch((error: unknown) => setProblem(toProblem(error)))
        }}
      >
        <Icon name="download" />
        <span class="wide-only">{csv}</span>
      </button>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
    </div>
  )
}

async function download(body: DownloadBody): Promise<void> {
  const response = await sendSigned('/downloads', { method: 'POST', body })
  const { path, fileName }: DownloadAnswer = await response.json()
  const url = new URL(path, document.baseURI).href
  if (downloadByTelegram(url, fileName)) return
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
}
