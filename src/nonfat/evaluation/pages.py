def render(folder, form):
    return ""
