import { Icon } from '../../parts/icons.tsx'
import { words } from '../../words/language.ts'
import { formatSize } from '../../words/sizes.ts'
import { fileUrl } from './file-url.ts'

/** A file as a message names it. */
export interface NamedFile {
  file_unique_id: string
  file_name?: string
  file_size?: number
}

/** A file to save: its name and size. */
export function FileCard({ file }: { file: NamedFile }) {
  const { download, file: unnamed } = words.value.message
  const name = file.file_name ?? unnamed
  return (
    <a
      class="file"
      href={fileUrl(file.file_unique_id)}
      download={name}
      aria-label={`${download}: ${name}`}
    >
      <span class="file-icon">
        <Icon name="download" />
      </span>
      <span class="file-name">{name}</span>
      {file.file_size === undefined ? null : (
        <span class="hint small num">{formatSize(file.file_size)}</span>
      )}
    </a>
  )
}
