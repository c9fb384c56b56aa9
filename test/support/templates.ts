/** Chat templates in the manners of the families we serve: each uses another part of the language. */
export const TEMPLATES: Readonly<Record<string, string>> = {
  'ChatML with a default system line (SmolLM2)': `{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system
You are a helpful AI assistant<|im_end|>
' }}{% endif %}{{'<|im_start|>' + message['role'] + '
' + message['content'] + '<|im_end|>' + '
'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant
' }}{% endif %}`,

  'headers, trimmed texts, bos (LLaDA)': `{% set loop_messages = messages %}{% for message in loop_messages %}{% set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n' + message['content'] | trim + '<|eot_id|>' %}{% if loop.index0 == 0 %}{% set content = bos_token + content %}{% endif %}{{ content }}{% endfor %}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}`,

  'roles renamed, the system text apart (Ling)': `{% if messages[0]['role'] == 'system' %}
    {%- set system = messages[0]['content'] ~ '\n' %}
    {%- set rest = messages[1:] %}
{% else %}
    {%- set system = '' %}
    {%- set rest = messages %}
{% endif %}
<role>SYSTEM</role>{{ system }}detailed thinking off<|role_end|>
{%- for message in rest -%}
    {%- if message.role == 'user' %}<role>HUMAN</role>{{ message.content }}<|role_end|>
    {%- elif message.role == 'assistant' %}<role>ASSISTANT</role>{{ message.content }}<|role_end|>
    {%- else %}<role>OBSERVATION</role>{{ message.content }}<|role_end|>
    {%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt %}<role>ASSISTANT</role>{% endif %}`,

  'strict about order, with its own refusals': `{{ bos_token }}{% if messages[0]['role'] == 'system' %}{% set offset = 1 %}{% else %}{% set offset = 0 %}{% endif %}{% for message in messages[offset:] %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Roles must alternate user/assistant/user/assistant.') }}{% endif %}[{{ loop.index }}/{{ loop.length }} {{ message.role | upper }}] {{ message.content }}{{ eos_token if message.role == 'assistant' else '' }}{% endfor %}`,

  'a namespace, a macro, tests and string methods (Qwen)': `{%- macro say(role, text) -%}<|im_start|>{{ role }}
{{ text }}<|im_end|>
{% endmacro -%}
{%- set ns = namespace(last=-1) -%}
{%- for message in messages -%}{%- if message.role == 'user' and message.content is string -%}{%- set ns.last = loop.index0 -%}{%- endif -%}{%- endfor -%}
{%- for message in messages -%}
{%- set text = message.content.split('</think>')[-1] if '</think>' in message.content else message.content -%}
{%- if tools is not none or tools is defined and tools -%}TOOLS{%- endif -%}
{{- say(message['role'], text) -}}
{%- if loop.index0 == ns.last and not loop.last %}(asked){% endif -%}
{%- endfor -%}
{%- if add_generation_prompt %}<|im_start|>assistant
<think>

</think>

{% endif %}`,
}
