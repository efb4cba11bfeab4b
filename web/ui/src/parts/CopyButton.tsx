import { Check, Copy } from 'lucide-react';
import { useEffect, useState, type ReactElement } from 'react';
import { IconAction } from './IconAction';

/** Copies a text; `what` names it, e.g. `session ID`. */
export function CopyButton({
  text,
  what,
  icon = <Copy size={13} />,
}: {
  text: string | (() => string);
  what: string;
  icon?: ReactElement;
}): ReactElement {
  const [done, setDone] = useState<'no' | 'yes' | 'failed'>('no');
  useEffect(() => {
    if (done === 'no') return undefined;
    const timer = setTimeout(() => {
      setDone('no');
    }, 1500);
    return () => {
      clearTimeout(timer);
    };
  }, [done]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
      setDone('yes');
    } catch {
      setDone('failed');
    }
  };
  const title =
    done === 'yes'
      ? 'Copied'
      : done === 'failed'
        ? 'Copy failed. Select the text and copy it manually.'
        : `Copy ${what}`;
  return (
    <IconAction
      does={`Copy ${what}`}
      hint={title}
      onClick={(event) => {
        event.stopPropagation();
        void copy();
      }}
    >
      {done === 'yes' ? <Check size={13} /> : icon}
    </IconAction>
  );
}
